/** One process of one workspace: what a pass walks. */
export interface ProcessKey {
  readonly workspace: string;
  readonly processId: string;
}

export type Mode = 'changes' | 'sweep';
