// The server of this page, once it is known.
import { signal } from "@preact/signals";
import type { Server } from "../engine/server.ts";

/** Null: the page is static. */
export const server = signal<Server | null>(null);
