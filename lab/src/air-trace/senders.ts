// The state of TCP's senders at each access: an air trace has only the changes.
import type { AirTrace, TracedSender } from "../engine/result.ts";

/** By access, and in it by flow; undefined of a flow that is not TCP's. */
export function sendersByAccess(trace: AirTrace): (TracedSender | undefined)[][] {
  let present: (TracedSender | undefined)[] = trace.flows.map(() => undefined);
  return trace.accesses.map((access) => {
    if (access.senders.length > 0) {
      present = [...present];
      for (const sender of access.senders) present[sender.flow] = sender;
    }
    return present;
  });
}
