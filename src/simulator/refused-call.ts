/** A request that the platform refuses. It becomes an error reply in the form of the dialect. */
export class RefusedCall extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    /** Code of the platform. It is undefined if a gateway answers. */
    readonly code: string | undefined,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the refusal of a parameter: 400 with code 800003. */
export function parameterError(message: string): RefusedCall {
  return new RefusedCall(400, '800003', `parameter error: ${message}`);
}

/** Returns a refusal with 400, code 800001, and a message that names what does not exist. */
export function notFound(kind: string, name: string): RefusedCall {
  return new RefusedCall(400, '800001', `${kind} ${name} not found`);
}
