/** A request that the subscriber does not take: the HTTP status to answer, and why, in words for the sender. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
