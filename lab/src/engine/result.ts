// The JSON of results, docs/results.md: the keys that the page uses.

/** The answer of a run: the document of `evenair run --json`, and its diagnosis. */
export interface RunAnswer {
  result: RunResult;
  /** Of this run alone, of `evenair run --explain`; empty if no flow starves. */
  why: Diagnosis[];
}

export interface Diagnosis {
  /** The flow's id. */
  flow: string;
  /** The station's id: of "takes_airtime" this is what is wrong. */
  station: string;
  /** "starves", "poor_call", ..., docs/results.md. */
  fault: string;
  /** The fault in words that follow the flow's name. */
  says: string;
  /** The numbers of the fault in words. */
  measure: string;
  /** Part of a sentence, without the flow's name. */
  text: string;
  /** "data_losses", "airtime", ..., docs/results.md. */
  cause: string;
  /** Where packets are lost, if that is the cause: a key of the flow's `data_losses`. */
  place?: string;
  goodput_bps: number;
  fair_share_bps: number;
  /** In how many runs it has this fault. */
  faulty_runs: number;
  /** Of how many runs the numbers are the means. */
  runs: number;
}

/**
 * The accesses to the medium from a moment on, `evenair_sim::air_trace::AirTrace`. Times are nanoseconds since the
 * start of the run, warm-up included, as in captures. Nodes and flows are indices into `nodes` and `flows`.
 */
export interface AirTrace {
  seed: number;
  /** When the measured time begins. */
  warmup_ns: number;
  medium: "wlan" | "wimax";
  /** The access point or base station, then the stations. */
  nodes: TracedNode[];
  flows: TracedFlow[];
  accesses: TracedAccess[];
  /** The run was over before there were as many accesses as wanted. */
  ended: boolean;
}

export interface TracedNode {
  /** "ap", "sta-1", ... */
  id: string;
  name: string | null;
}

export interface TracedFlow {
  id: string;
  name: string | null;
  /** The node of its station; null of a flow between hosts, as is its direction. */
  station: number | null;
  direction: "up" | "down" | null;
  transport: string;
  /** Payload of a data packet, bytes. */
  segment: number;
}

/** One exchange or a collision, a TXOP, or a frame of an 802.16 medium. */
export interface TracedAccess {
  /** When the medium had become idle; in 802.16 the beginning of the frame. */
  idle_since_ns: number;
  /** When the first frame begins; in 802.16 the beginning of the frame. */
  at_ns: number;
  /** When the last frame ends. */
  end_ns: number;
  /** What the time from `idle_since_ns` to `end_ns` consists of, in order of time. */
  parts: AccessPart[];
  /** The slots in which nodes count down, in 802.16 the request opportunities of the frame. */
  slots: { start_ns: number; end_ns: number; count: number };
  contenders: Contender[];
  /** Transmissions after a backoff; none in 802.16. */
  attempts: TracedAttempt[];
  frames: TracedFrame[];
  /** The nodes that give packets up, and how many. */
  given_up: { node: number; packets: number }[];
  /** The packets that the MAC of the access point has taken from its queue and not sent as a whole. */
  ap_sends: TracedPacket[];
  /** One; or one for each station for which packets wait. */
  ap_queues: TracedQueue[];
  /** The first of those since the access before, and the number of all. */
  drops: TracedDrop[];
  dropped: number;
  /** The TCP senders whose state has changed since the access before; in the first access all. */
  senders: TracedSender[];
  /** Packets that wait at wired links or are under way on them. */
  wired: { to_access_point: number; to_hosts: number };
}

/** A part of the time of an access, `evenair_sim::air_trace::PartKind`. */
export interface AccessPart {
  kind:
    | "difs"
    | "idle"
    | "backoff"
    | "frames"
    | "sifs"
    | "ack"
    | "broadcast"
    | "downlink"
    | "gap"
    | "ranging"
    | "requests"
    | "uplink";
  start_ns: number;
  end_ns: number;
}

/** The access categories of EDCA: best effort, background, video, voice. */
export type Category = "be" | "bk" | "vi" | "vo";

/** A node, with EDCA one of its categories, that counts down before an access. */
export interface Contender {
  node: number;
  /** With EDCA; absent of the beacons of the access point. */
  category?: Category;
  /** The slot boundary from which it counted; later after EIFS or a response timeout. */
  from: number;
  /** Slots that were left to count then. */
  before: number;
  /** Slots that are left while the medium is busy. */
  after: number;
  /** False: it has no frame, and this is the backoff after its last one. */
  has_frame: boolean;
  /** It would transmit without a backoff. */
  immediate: boolean;
  transmits: boolean;
}

export interface TracedAttempt {
  node: number;
  /** With EDCA; absent of a beacon. */
  category?: Category;
  /** Null of a beacon, which is for all. */
  to: number | null;
  /** With EDCA the first of several; null of a BlockAckReq. */
  packet: TracedPacket | null;
  /** The contention window, and the backoff that was drawn from it, slots. */
  cw: number;
  backoff: number;
  /** The packet has been received already; only its acknowledgement was lost. */
  repeats: boolean;
  delivered: boolean;
}

export interface TracedFrame {
  kind:
    | "rts"
    | "cts"
    | "data"
    | "ack"
    | "block-ack"
    | "block-ack-req"
    | "cf-end"
    | "beacon"
    | "burst"
    | "request";
  from: number;
  to: number | null;
  start_ns: number;
  end_ns: number;
  rate_bps: number;
  /** With MAC header and FCS. */
  bytes: number;
  /** How often it has been sent before; with EDCA failures of its category since the last success. */
  retries: number;
  fate: FrameFate;
  /** The first of the packets, or fragments, that it carries, and the number of all. */
  carries: TracedPdu[];
  pdus: number;
  /** Bytes for which a bandwidth request asks, also one in a burst. */
  asks_for: number | null;
  /** With EDCA; absent of a beacon. */
  qos?: {
    category: Category;
    /** Absent without MCS, as of most control frames. */
    mcs?: number;
    /** An MPDU, one in an A-MPDU, or an A-MPDU. */
    psdu: "mpdu" | "s-mpdu" | "a-mpdu";
    /** Of a Block Ack the sequence numbers from `start` on, "1" if received; of a BlockAckReq the bitmap is empty. */
    block_ack?: { start: number; bitmap: string };
  };
}

export type FrameFate = "received" | "collided" | "corrupted";

/** A packet in a frame, or a fragment of one. */
export interface TracedPdu {
  packet: TracedPacket;
  /** With headers. */
  bytes: number;
  end_ns: number;
  /** Whether the packet begins and ends with it. */
  is_first: boolean;
  is_last: boolean;
  fate: FrameFate;
  /** With EDCA: packets with the same sequence number are one MPDU, an A-MSDU. */
  qos?: { sequence: number; retry: boolean; repeats: boolean };
}

export interface TracedPacket {
  /** Also of an acknowledgement; null of a beacon. */
  flow: number | null;
  kind: "data" | "ack" | "syn" | "syn-ack" | "datagram" | "request" | "beacon" | "report";
  /** Bytes: of data the first one, of an acknowledgement the next that is expected. */
  seq: number;
  bytes: number;
  retransmission: boolean;
}

export interface TracedQueue {
  /** The node of its station, if it is the queue of one. */
  station: number | null;
  /** The category of its packets, with EDCA. */
  category?: Category;
  waiting: number;
  /** The first of them, in the order in which they would leave. */
  packets: TracedPacket[];
}

export interface TracedDrop {
  packet: TracedPacket;
  reason: "on-arrival" | "on-departure" | "evicted" | "superseded";
}

/** The state of a TCP sender, in segments. */
export interface TracedSender {
  flow: number;
  cwnd: number;
  /** Null if it is unlimited. */
  ssthresh: number | null;
  in_flight: number;
  receive_window: number;
  limited_by:
    | "receive_window"
    | "cwnd"
    | "recovery"
    | "timeout"
    | "application"
    | "small_queue"
    | "pacing"
    | "bandwidth_probing";
}

export type ResolvedScenario = Record<string, unknown> & { name: string };

export interface RunResult {
  engine: string;
  scenario: ResolvedScenario;
  seed: number;
  duration_s: number;
  aggregate_goodput_bps: number;
  jain_index: number;
  jain_airtime: number;
  jain_occupancy?: number;
  jain_over: "bulk" | "all";
  rtt_s: Distribution | null;
  one_way_delay_s: Distribution | null;
  flows: FlowResult[];
  sessions?: SessionResult[];
  losses: { congestion: number; retry_limit: number; error: number; policer?: number };
  ap_queue: QueueResult;
  limiter?: Record<string, number>;
  air?: AirResult;
  frame?: Record<string, number>;
  requests?: Record<string, number>;
  wired: { links: LinkResult[]; flows?: FlowResult[] };
  stations: MacResult[];
  ap: MacResult;
  delays: DelayCurve[];
  series?: Series;
  fingerprint: string;
}

/** Times of pages or transfers. */
export type Times = Distribution & {
  n: number;
  mean: number;
  geometric_mean: number;
  slowdown?: number;
};

export interface FlowResult {
  id: string;
  name: string | null;
  page_load_s?: Times | null;
  completion_s?: (Times & { slowdown?: number }) | null;
  arrivals?: { dropped: number };
  station?: string;
  direction?: "up" | "down";
  /** Of a flow between wired hosts. */
  from?: string;
  to?: string;
  transport: string;
  application: string;
  goodput_bps: number;
  segments_sent: number;
  retransmissions: number;
  timeouts: number;
  mean_rtt_s: number | null;
  one_way_delay_s?: Distribution | null;
  /** Of a call. */
  mos?: number | null;
  /** Of a video call. */
  frame_delay_s?: Distribution | null;
  frozen_s?: number;
  /** Of a stream. */
  stalls_s?: number;
  startup_s?: number | null;
  mean_video_rate_bps?: number | null;
  limited_by?: Record<string, number>;
  /** Lost data packets by place, docs/results.md; absent without packets that could be lost. */
  data_losses?: Record<string, number>;
}

export interface QueueResult {
  arrivals: number;
  drops: number;
  loss_ratio: number;
  mean_packets: number;
  mean_data: number;
  mean_acks: number;
  mean_delay_s: number;
  delay_s: Distribution | null;
  data_arrivals?: number;
  ack_arrivals?: number;
  data_drops: number;
  ack_drops: number;
  acks_filtered: number;
}

export interface LinkResult extends QueueResult {
  from: string;
  to: string;
  utilization: number;
}

/** Shares of the measured time, which sum to 1. */
export interface AirResult {
  payload: number;
  overhead: number;
  collisions: number;
  corrupted: number;
  idle: number;
}

export interface SessionResult {
  flow: string;
  start_s: number;
  end_s: number;
  bytes: number;
}

/** Mean, percentiles and maximum of delays in seconds. */
export type Distribution = Record<string, number>;

export interface MacResult {
  id: string;
  name: string | null;
  airtime_share: number;
  tx_airtime_share: number;
  collision_probability: number;
  frames_sent: number;
  frames_dropped: number;
}

/** `count[k]` samples are at most `le_s[k]` seconds. */
export interface DelayCurve {
  /** Absent of the access point's queue. */
  flow?: string;
  quantity: "rtt" | "one_way_delay" | "ap_queue_delay";
  le_s: number[];
  count: number[];
}

export interface Series {
  time_s: number[];
  ap_queue_acks: number[];
  ap_queue_data: number[];
  aggregate_goodput_bps: number[];
  flows: Record<string, Record<string, (number | null)[]>>;
  /** The last decision of the cell's controller at each sample. */
  controller?: { p_even: number; shares: Record<string, number> }[];
  /** The rounds of an adaptive rate limiter, at times of their own. */
  limiter?: LimiterRound[];
}

export interface LimiterRound {
  t_s: number;
  rate_bps: number;
  capacity_bps: number | null;
  up_bps: number;
  down_bps: number;
  lost: boolean;
}
