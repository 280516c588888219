import fc from 'fast-check';
import { DEFAULT_FREEDOMS, type Freedoms } from '../../../simulator/data/freedoms.ts';

/** By freedom, the ways in which a service may differ from the plain one. */
export const OTHERS: { readonly [Name in keyof Freedoms]: readonly Freedoms[Name][] } = {
  taskListName: ['items'],
  auditListName: ['log'],
  userListName: ['members'],
  taskIdProperty: ['taskId', 'externalId'],
  projectIdProperty: ['projectId'],
  numericIds: [true],
  expiresIn: [false],
  tokenLifetime: [90],
  dateHeader: [false],
  auditOrder: ['newest-first'],
  auditDenied: [403, 404],
  auditRetention: [6],
  auditTimestamps: [false],
  auditShape: ['flat', 'reference', 'several'],
  recordTimestamps: [false],
  updateTimeName: ['lastTouch', 'tsm'],
  timestampResolution: [1000, 60_000],
  taskEditsTouchProject: [false],
  tooLargeStatus: [400, 500, 502],
  maxResponseBytes: [1_200],
  maxPageSize: [5],
  listOrder: ['oldest-update-first', 'newest-update-first'],
  cursors: ['offset'],
  updatesVisibleAfter: [50_000],
  auditVisibleAfter: [90_000],
  updatedAfterInclusive: [true],
  tasksOfDeletedProject: [200],
  emptyPageCursors: ['null'],
  definitionShape: ['list'],
};

type Name = keyof Freedoms;
const NAMES = Object.keys(DEFAULT_FREEDOMS) as Name[];

/** Any combination of freedoms; each differs from the plain service in one of three draws. */
export const drawnFreedoms: fc.Arbitrary<Partial<Freedoms>> = fc.record(
  Object.fromEntries(
    NAMES.map(name => {
      const others = fc.constantFrom(...(OTHERS[name] as readonly unknown[]));
      const plain = fc.constant(DEFAULT_FREEDOMS[name] as unknown);
      return [name, fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: others })];
    }),
  ),
) as fc.Arbitrary<Partial<Freedoms>>;
