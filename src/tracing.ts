/**
 * What a span tells about its work: names of streams, stores and operations, counts and codes. It never tells
 * a secret or the value of a point.
 */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span of work that is under way. */
export interface Span {
  /** Adds facts that are known only during the work. */
  note(facts: SpanFacts): void;
  /** Marks work that failed without throwing. */
  fail(code: string): void;
}

/**
 * Records what the program spends its time on, as spans: a run has windows, which have requests and writes.
 * The parts that make spans do not know who receives them.
 */
export interface Tracing {
  /**
   * Does work within a span. The span of the work around it is its parent. A span whose work throws is marked
   * with the code of the error. `isRequest` marks a request to another system.
   */
  span<T>(about: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
}

export interface SpanStart {
  readonly name: string;
  readonly facts: SpanFacts;
  readonly isRequest?: boolean;
}

const noSpan: Span = { note: () => undefined, fail: () => undefined };

/** Records nothing. */
export const noTracing: Tracing = { span: (_about, work) => work(noSpan) };
