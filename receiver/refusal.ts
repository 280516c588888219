/** A refused request: the status to answer, and the reason as `message`. SNS and webhooks retry after 5xx; SNS never
 *  retries after 4xx. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** The HTTP status. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
