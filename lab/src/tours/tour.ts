// The guided tours: sequences of scenarios with a text and a question. Their files are data that the
// documentation and the tests read, too: docs/_ext/tours.py.
import type { Change } from "../engine/language.ts";
import airtimeToday from "./airtime-today.toml";
import limiterToday from "./limiter-today.toml";
import lossesToday from "./losses-today.toml";
import queueDisciplines from "./queue-disciplines.toml";
import randomLoss from "./random-loss.toml";
import rateLimiter from "./rate-limiter.toml";
import slowStation from "./slow-station.toml";
import tuneAccessPoint from "./tune-access-point.toml";
import uploadsToday from "./uploads-today.toml";
import uploadsWin from "./uploads-win.toml";
import windowToday from "./window-today.toml";

export interface Tour {
  name: string;
  title: string;
  summary: string;
  /** The built-in scenario that it varies, if it has no `toml`. */
  scenario?: string;
  toml?: string;
  /** Keys whose controls are beside the text. */
  controls: string[];
  step: Step[];
  question: Question;
}

/** A cell to look at. */
interface Experiment {
  /** The pictures that show what the text says. */
  pictures: string[];
  /** Changes of the tour's scenario, KEY=VALUE as on the command line. */
  set?: string[];
  /** Paragraphs, separated by empty lines. */
  text: string;
  facts?: Fact[];
}

export interface Step extends Experiment {
  title: string;
  sources: string[];
}

/** A number of a text, and the measure that it is. */
export interface Fact {
  says: string;
  is: string;
}

/** A question that a run decides. */
export interface Question extends Experiment {
  /** The measure that decides, with its name and its unit. */
  decides: string;
  name: string;
  unit: string;
  answer: Answer[];
}

export interface Answer {
  text: string;
  /** Right if the measured value lies in this range. */
  from: number;
  to: number;
  because: string;
}

/** In the order in which they are read. */
export const TOURS: Tour[] = [
  { name: "uploads-win", ...uploadsWin },
  { name: "queue-disciplines", ...queueDisciplines },
  { name: "slow-station", ...slowStation },
  { name: "random-loss", ...randomLoss },
  { name: "rate-limiter", ...rateLimiter },
  { name: "tune-access-point", ...tuneAccessPoint },
  { name: "uploads-today", ...uploadsToday },
  { name: "limiter-today", ...limiterToday },
  { name: "airtime-today", ...airtimeToday },
  { name: "window-today", ...windowToday },
  { name: "losses-today", ...lossesToday },
];

/** Where a visitor is: a tour, and the number of a step from 1. The step after the last is the question. */
export interface Place {
  tour: Tour;
  step: number;
}

/** Reads the address "uploads-win/2"; null if there is no such place. */
export function placeOf(address: string): Place | null {
  const [name, number = "1", ...more] = address.split("/");
  const tour = TOURS.find((each) => each.name === name);
  const step = Number(number);
  const exists =
    tour &&
    more.length === 0 &&
    Number.isInteger(step) &&
    step >= 1 &&
    step <= tour.step.length + 1;
  return exists ? { tour, step } : null;
}

export function addressOf({ tour, step }: Place): string {
  return `${tour.name}/${step}`;
}

export function experimentAt({ tour, step }: Place): Step | Question {
  return tour.step[step - 1] ?? tour.question;
}

export function changesOf(experiment: Experiment): Change[] {
  return (experiment.set ?? []).map((text) => {
    const equals = text.indexOf("=");
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
}

export function paragraphs(text: string): string[] {
  return text
    .trim()
    .split(/\n(?:[ \t\r]*\n)+/)
    .map((each) => each.replaceAll("\n", " "));
}

/** The number of the answer that a value makes right. */
export function rightAnswer(question: Question, value: number): number {
  return question.answer.findIndex(({ from, to }) => value >= from && value <= to);
}
