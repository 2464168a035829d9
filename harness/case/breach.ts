/** A breach as an oracle states it; the case and the exchange are added by whoever asked. */
export interface Breach {
  readonly clause: string;
  readonly expected: string;
  readonly actual: string;
  /** Place in the message: `secret.resourceVersion`. */
  readonly at?: string;
}
