import { type Bug, edit } from '../bug.ts';

export const CREATE_POLL: readonly Bug[] = [
  {
    name: 'the unfinished sweep looked for in the wrong mode',
    edits: [
      edit(
        'handlers/create-poll.ts',
        "isUnfinished(keyOf(target), 'sweep')",
        'isUnfinished(keyOf(target), target.mode)',
      ),
    ],
  },
  {
    name: 'definitions kept from pass to pass',
    edits: [
      edit(
        'handlers/create-poll.ts',
        'const parts = partsOf(target, { ...dependencies, state, service, snapshots, onCommitted }, context);',
        'const fresh = partsOf(target, { ...dependencies, state, service, snapshots, onCommitted }, context);\n' +
          '    const definitions = known.get(connection) ?? fresh.definitions;\n' +
          '    known.set(connection, definitions);\n' +
          '    const parts = { ...fresh, definitions };',
      ),
      edit(
        'handlers/create-poll.ts',
        'interface Target {',
        'const known = new WeakMap<ServiceConnection, PassDefinitions>();\n\ninterface Target {',
      ),
    ],
  },
];
