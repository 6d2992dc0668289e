// The sections of the page, in the order of their tabs. A part of the page is mounted by one line here.
import type { ComponentType } from "preact";
import { CampaignSection } from "../campaign/section.tsx";
import { LiveSection } from "../live/section.tsx";
import { ToursPanel } from "../tours/panel.tsx";
import { AirTraceSection } from "../panels/air-trace.tsx";
import { ComparePanel } from "../panels/compare.tsx";
import { DiagnosisPanel } from "../panels/diagnosis.tsx";
import { ExportPanel } from "../panels/export.tsx";
import { PicturesPanel } from "../panels/pictures.tsx";

export interface Section {
  id: string;
  title: string;
  Content: ComponentType;
}

export const sections: Section[] = [
  { id: "tours", title: "Tours", Content: ToursPanel },
  { id: "pictures", title: "Pictures", Content: PicturesPanel },
  { id: "why", title: "Why", Content: DiagnosisPanel },
  { id: "air-trace", title: "Trace of the air", Content: AirTraceSection },
  { id: "compare", title: "Compare", Content: ComparePanel },
  { id: "campaign", title: "Campaign", Content: CampaignSection },
  { id: "export", title: "Export", Content: ExportPanel },
];

/** Adds what only a page of `evenair lab` has. */
export function addServerSection(): void {
  sections.push({ id: "live", title: "Live", Content: LiveSection });
}
