import type { BugsByFile } from './bugs.ts';

/** Bugs in the store, the queues and the topic. */
export const STORE: BugsByFile = {
  'store/dynamo/projects.ts': {
    'change record written outside the transaction': [
      [
        ['    ...changePuts(table, process, request),\n', ''],
        [
          '  return transact(table, items);',
          '  const result = await transact(table, items);\n' +
            '  const records = changePuts(table, process, request);\n' +
            "  if (result === 'committed' && records.length > 0) await transact(table, records);\n" +
            '  return result;',
        ],
      ],
    ],
    'a baseline that commits behind its end': [
      'request.isSilent ? [whileInBaseline',
      '!table ? [whileInBaseline',
      'pass/steps.test.ts',
    ],
  },
  'store/dynamo/conditions.ts': {
    'lease ignored': [
      [
        [
          "IS_FREE =\n  'attribute_not_exists(leaseOwner) OR",
          "IS_FREE =\n  'attribute_exists(pk) OR attribute_not_exists(leaseOwner) OR",
        ],
        ["IS_OURS = 'leaseOwner", "IS_OURS = 'attribute_exists(pk) OR leaseOwner"],
      ],
    ],
  },
  'handlers/create-publish.ts': {
    'publish marks before sending': [
      [
        [
          '  return async ({ Records }, context) => {',
          '  const publish: Publish = async ({ Records }, context) => {',
        ],
        [
          'stop.record.dynamodb.SequenceNumber }] : [] };\n  };\n',
          'stop.record.dynamodb.SequenceNumber }] : [] };\n' +
            '  };\n' +
            '  return async (event, context) => {\n' +
            '    void publish(event, context);\n' +
            '    return { batchItemFailures: [] };\n' +
            '  };\n',
        ],
      ],
    ],
    'the last failed record reported, not the first': ['Math.min(...failed)', 'Math.max(...failed)'],
    'the record before the failed one reported': [
      'stop ? [{ itemIdentifier: stop.record.dynamodb.SequenceNumber }]',
      'stop ? [{ itemIdentifier:\n' +
        '      Records.at(Math.max(0, Records.findIndex(({ dynamodb }) => dynamodb === stop.record.dynamodb) - 1))\n' +
        "      ?.dynamodb?.SequenceNumber ?? '' }]",
    ],
    'a run out of time that reports the last record of a batch': [
      'stop: stopAt(batch, 0, true) }',
      'stop: stopAt(batch, batch.length - 1, true) }',
      { world: 'publishers of one stream: run and short run, dynamodb' },
    ],
    'failures of the second batch dropped': [
      'if (published.stop) return { ids, stop: published.stop };',
      'if (published.stop && index === 0) return { ids, stop: published.stop };',
    ],
  },
  'local/loops/topic.ts': {
    'an event published that is not in the queue': [
      '    if (sent && sent.indexes.length > 0) throw new Error(sent.reason);\n',
      '',
      { world: 'publishers of one stream: feed and feed, sqlite' },
    ],
  },
  'topic/send-batch.ts': {
    'as many entries sent again as failed, not those': [
      'rest.filter(({ index }) => again.has(index))',
      'rest.slice(0, again.size)',
    ],
    'entries named by their place among the rest': [
      'rest.map(({ message, index }) =>',
      'rest.map(({ message }, index) =>',
    ],
  },
  'store/dynamo/tick.ts': {
    'a claim without its condition': [
      [
        ['        ConditionExpression: seen === undefined ? NEVER_CLAIMED : IS_LAST_CLAIMED,\n', ''],
        ["          ...(seen !== undefined && { ':seen': { N: seen } }),\n", ''],
      ],
    ],
  },
  'store/tick.ts': {
    'a claim that lies ahead believed for ever': ['|| seen > now + MAX_CLAIM_AHEAD_MS ? now', '? now'],
  },
  'store/dynamo/leases.ts': {
    'a lease given back that leaves no name': [
      "new Map([...end, ['endedBy', { S: givenBackBy(owner) }], ...(failed ?? [])])",
      'new Map([...end, ...(failed ?? [])])',
      'store/contract.test.ts',
    ],
  },
  'store/dynamo/state.ts': {
    'a late reading taken for the whole of a baseline': [
      '  if (isEventual && !isBaselined) return readState(table, process);\n',
      '',
      'store/dynamo/units.test.ts',
    ],
  },
  'store/dynamo/processes.ts': {
    'told audit entries not remembered': [
      '...entryPuts(process, entries, request)',
      '...entryPuts(process, [], request)',
    ],
  },
  'store/sqlite/projects.ts': {
    'a project created over a snapshot in SQLite': [
      "if (current !== expected?.version) return 'conflict';",
      "if (expected && current !== expected.version) return 'conflict';",
    ],
  },
  'store/sqlite/leases.ts': {
    'a lease in SQLite that is taken before it ends': [
      'row.owner !== owner && end >= now &&',
      'row.owner !== owner && end >= until &&',
    ],
    'progress saved in SQLite without asking whose lease it is': [
      'lease.mode} AND owner = ',
      "lease.mode} AND '' <> ",
    ],
    'a pass finished in SQLite under the lease of another': [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has it
      ' AND (owner = ${owner} OR ended_by = ${owner})',
      '',
      { world: 'changes and changes, update project, one fault' },
    ],
  },
  'store/sqlite/processes.ts': {
    'an announcement in SQLite that follows none it knows': [
      "if (readPart(database, process, 'announced') !== announced) return 'conflict';",
      '',
    ],
  },
  'store/dynamo/deliveries.ts': {
    'a project open to a consumer that lost its first event to another one': [
      '} else blocked.add(project);',
      '} else if (delivery.due > now) blocked.add(project);',
      { world: 'rows of an endpoint: consumes and consumes and time, dynamodb' },
    ],
    'a lease of deliveries that ends after its time': [
      ' !== token || delivery.due <= now) return;',
      ' !== token) return;',
      'store/contract.test.ts',
    ],
  },
  'store/sqlite/deliveries.ts': {
    'deliveries removed in SQLite up to the last one that was sent': [
      `DELETE FROM pending WHERE endpoint = \${endpoint}\n    AND seq IN (SELECT CAST(value AS INTEGER)`,
      `DELETE FROM pending WHERE endpoint = \${endpoint}\n    AND seq <= (SELECT max(CAST(value AS INTEGER))`,
    ],
  },
  'store/sqlite/state.ts': {
    'part of a state in SQLite that is kept when it ends': [
      'if (value === undefined) sql.run`DELETE',
      'if (value === undefined && name.length < 5) sql.run`DELETE',
    ],
  },
  'store/sqlite/endpoints.ts': {
    'a moment of a chat booked from now in SQLite': [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has it
      'DO UPDATE SET next_slot = ${slot + interval}',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has it
      'DO UPDATE SET next_slot = ${now + interval}',
    ],
  },
  'store/sqlite/journal.ts': {
    'tombstones in SQLite that expire at once': [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has it
      'FROM tombstone WHERE expires_at <= ${seconds}',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has it
      'FROM tombstone WHERE expires_at <= ${now}',
    ],
  },
  'store/dynamo/traces.ts': {
    'a delivery that was made given up by another run': [
      '{ Delete: { Key: keyOf(from), ConditionExpression: IS_THERE } },',
      '{ Delete: { Key: keyOf(from), ...(condition && { ConditionExpression: IS_THERE }) } },',
      { world: 'rows of an endpoint: sends and gives up, dynamodb' },
    ],
    'a dead letter removed that was given up since': [
      '{ Delete: { Key: keyOf(dead), ...died(dead) } }',
      '{ Delete: { Key: keyOf(dead) } }',
      { world: 'rows of an endpoint: gives up and resends, dynamodb' },
    ],
  },
  'queue/sqlite.ts': {
    'messages hidden that were received before the clock was set back': [
      "shown_at = shown_at - ? WHERE queue = ?'",
      "shown_at = shown_at - ? WHERE queue = ? AND receives = 0'",
      { world: 'one machine, fails, then an hour back' },
    ],
    'messages hidden that a process had received when it died': [
      "AND (receives > 0 OR shown_at > ?)')\n    .run(now, now, now + MAX_DELAY_MS);",
      "AND shown_at > ?')\n    .run(now, now, now + MAX_DELAY_MS);",
      { world: 'one machine, killed after' },
    ],
    'messages deleted in SQLite up to the one that was served': [
      "'DELETE FROM message WHERE seq = ?'",
      "'DELETE FROM message WHERE seq <= ?'",
    ],
  },
  'store/codec.ts': {
    'snapshots in a format that the last release does not read': [
      [
        ['tasks: [...content.tasks]', 'tasks: { list: [...content.tasks] }'],
        ['new Map(tasks)', 'new Map(Array.isArray(tasks) ? tasks : (tasks as { list: typeof tasks }).list)'],
      ],
    ],
    'a change record without the last of three events': [
      'const groups = Map.groupBy(events,',
      'const groups = Map.groupBy(events.slice(0, 2),',
    ],
  },
};
