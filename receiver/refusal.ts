/** A request that is not taken: the status to answer, and why, in words for its sender.
 *  SNS and the webhooks try again after 5xx; SNS never does after 4xx, so 4xx is for what will never be right. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Of HTTP. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
