interface RoomSettings {
  /** Its code, as globs. */
  readonly files: readonly string[];
  /** The folders of test/ whose tests hold it, beside `assertions.test.ts`. */
  readonly tests: readonly string[];
  /** The score in percent, rounded down, below which the run fails. */
  readonly break: number;
}

/** The rooms that mutation tests hold, in the order of a run. */
export const ROOMS = {
  changes: {
    files: ['functions/changes/**/*.ts'],
    tests: ['changes', 'pass', 'operations'],
    break: 99,
  },
  model: {
    files: ['functions/model/**/*.ts', 'functions/basics/{decimal,empty,order}.ts'],
    tests: ['model', 'changes', 'delivery', 'operations', 'schedule', 'pass'],
    break: 99,
  },
  store: { files: ['functions/store/**/*.ts'], tests: ['store', 'simulation/orders'], break: 100 },
  topic: {
    files: ['functions/topic/**/*.ts', 'functions/handlers/create-publish.ts'],
    tests: ['topic'],
    break: 99,
  },
  delivery: {
    files: ['functions/delivery/**/*.ts', 'functions/handlers/create-deliver.ts'],
    tests: ['delivery', 'handlers'],
    break: 99,
  },
  schedule: {
    files: ['functions/schedule/**/*.ts', 'functions/handlers/create-tick.ts'],
    tests: ['schedule', 'handlers', 'simulation/orders'],
    break: 99,
  },
  poll: { files: ['functions/handlers/create-poll*.ts'], tests: ['handlers'], break: 99 },
  // Its mutants that loop end by a time-out, which a busy machine may blur: one of a hundred is left for that.
  pass: {
    files: ['functions/pass/**/*.ts'],
    tests: ['pass', 'changes'],
    break: 99,
  },
  receiver: { files: ['receiver/**/*.ts'], tests: ['receiver'], break: 90 },
  service: { files: ['functions/service/**/*.ts'], tests: ['service'], break: 90 },
  operations: { files: ['functions/operations/**/*.ts'], tests: ['operations'], break: 90 },
} as const satisfies Record<string, RoomSettings>;

export type Room = keyof typeof ROOMS;
