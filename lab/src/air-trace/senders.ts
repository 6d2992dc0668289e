// The state of TCP's senders at each access: a film has only the changes.
import type { Film, FilmSender } from "../engine/result.ts";

/** By access, and in it by flow; undefined of a flow that is not TCP's. */
export function sendersByAccess(film: Film): (FilmSender | undefined)[][] {
  let present: (FilmSender | undefined)[] = film.flows.map(() => undefined);
  return film.accesses.map((access) => {
    if (access.senders.length > 0) {
      present = [...present];
      for (const sender of access.senders) present[sender.flow] = sender;
    }
    return present;
  });
}
