/** Something about a subscription that whoever runs it wants to know. */
export interface Notice {
  /** `unconfirmed`: the handshake goes on; `retrying`: a delivery failed and is tried again; `dead-lettered`: it was given
   *  up and kept; `trouble`: something local failed, such as the disk. */
  readonly kind: 'confirmed' | 'unconfirmed' | 'retrying' | 'dead-lettered' | 'unsubscribed' | 'trouble';
  /** The subscription's name. */
  readonly name: string;
  /** One line for people. Of the endpoint it shows the origin only, because a path or query may hold a secret. */
  readonly text: string;
}
