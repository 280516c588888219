import type { Certificate } from '../receivers/server.ts';

/** What the contract is told of the stack: as JSON, in `CONTRACT_OPTIONS`. */
export interface ContractOptions {
  readonly endpoint: string;
  readonly stackName: string;
  readonly tableName: string;
  /** Of somebody who may act. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly arn: string;
  /** Where the functions' internet leads to for the receiver's name. */
  readonly port: number;
  readonly certificate: Certificate;
}
