/** The span of a request that is being answered. */
export interface RequestSpan {
  readonly traceId: string
  readonly spanId: string
  /** What was asked for, once it is known: the operation instead of the address, because addresses can carry secrets. */
  name(operation: string): void
}
