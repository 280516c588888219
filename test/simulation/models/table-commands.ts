import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type ReturnValue,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';

type Values = Record<string, AttributeValue>;
type Make = (pk: string) => object;

/** An expression with the values that it uses. */
interface Expression {
  readonly text: string;
  readonly values: Values;
}

const SORT_KEYS = ['a', 'a#1', 'b', 'é', 'ﬁ', '😀'];
const VALUES: Values = {
  ':zero': { N: '0' },
  ':one': { N: '1' },
  ':half': { N: '0.50' },
  ':a': { S: 'a' },
  ':b': { S: 'ﬁ' },
  ':c': { S: '😀' },
  ':bytes': { B: new Uint8Array([1, 2]) },
};
const NUMBERS = [':zero', ':one', ':half'];

const sortKey = fc.constantFrom(...SORT_KEYS);
const attribute = fc.constantFrom('n', 'm', 's', 'nope');
const valueName = fc.constantFrom(...Object.keys(VALUES));
const numberName = fc.constantFrom(...NUMBERS);
const textName = fc.constantFrom(':a', ':b', ':c', ':bytes');

const item = fc.record(
  {
    n: fc.constantFrom('0', '1', '2.50', '-1').map(N => ({ N })),
    m: valueName.map(name => VALUES[name] as AttributeValue),
    s: fc.constantFrom('a', 'ab', 'ﬁx').map(S => ({ S })),
  },
  { requiredKeys: [] },
);

function valuesIn(text: string): Values {
  return Object.fromEntries((text.match(/:\w+/g) ?? []).map(name => [name, VALUES[name] as AttributeValue]));
}

const comparison = fc
  .tuple(attribute, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), valueName)
  .map(([name, sign, value]) => `${name} ${sign} ${value}`);
const single = fc.oneof(
  comparison,
  fc
    .tuple(fc.constantFrom('attribute_exists', 'attribute_not_exists'), attribute)
    .map(([f, a]) => `${f}(${a})`),
  fc.tuple(attribute, textName).map(([a, v]) => `begins_with(${a}, ${v})`),
  fc
    .tuple(attribute, fc.constantFrom(':zero AND :half', ':zero AND :one', ':a AND :b', ':b AND :c'))
    .map(([name, bounds]) => `${name} BETWEEN ${bounds}`),
);
const { tree } = fc.letrec<{ tree: string }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    single,
    fc.tuple(single, fc.constantFrom('AND', 'OR'), tie('tree')).map(parts => parts.join(' ')),
    fc
      .tuple(tie('tree'), fc.constantFrom('AND', 'OR'), single)
      .map(([l, o, r]) => `(${l} ${o} ${r}) ${o} ${r}`),
    tie('tree').map(inner => `NOT ${inner}`),
  ),
}));
const condition: fc.Arbitrary<Expression | undefined> = fc.option(
  tree.map(text => ({ text, values: valuesIn(text) })),
  { nil: undefined },
);

const operand = fc.oneof(valueName, attribute);
const assignment = fc.oneof(
  operand,
  fc
    .tuple(fc.constantFrom('n', 'm', 's'), fc.constantFrom('+', '-'), numberName)
    .map(parts => parts.join(' ')),
);
const change: fc.Arbitrary<Expression> = fc
  .record({
    set: fc.dictionary(attribute, assignment, { maxKeys: 3 }),
    remove: fc.uniqueArray(attribute, { maxLength: 2 }),
  })
  // Not the same attribute in both: the embedded DynamoDB finds this error late in transactions.
  .map(({ set, remove }) => ({ set, remove: remove.filter(name => !(name in set)) }))
  .filter(({ set, remove }) => Object.keys(set).length + remove.length > 0)
  .map(({ set, remove }) => {
    const sets = Object.entries(set).map(([name, value]) => `${name} = ${value}`);
    const parts = [
      sets.length > 0 ? `SET ${sets.join(', ')}` : '',
      remove.length > 0 ? `REMOVE ${remove.join(', ')}` : '',
    ];
    const text = parts.join(' ').trim();
    return { text, values: valuesIn(text) };
  });

const TableName = 'changewire';
const keyOf = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const withValues = (...all: (Expression | undefined)[]) => {
  const ExpressionAttributeValues = Object.assign({}, ...all.map(one => one?.values)) as Values;
  return Object.keys(ExpressionAttributeValues).length > 0 ? { ExpressionAttributeValues } : {};
};
const conditional = (one: Expression | undefined) => ({
  ...(one && { ConditionExpression: one.text }),
  ...withValues(one),
});

const putInput = fc.tuple(sortKey, item, condition).map(([sk, attributes, on]) => (pk: string) => ({
  TableName,
  Item: { ...keyOf(pk, sk), ...attributes },
  ...conditional(on),
}));
const deleteInput = fc.tuple(sortKey, condition).map(([sk, on]) => (pk: string) => ({
  TableName,
  Key: keyOf(pk, sk),
  ...conditional(on),
}));
const updateInput = fc.tuple(sortKey, change, condition).map(([sk, to, on]) => (pk: string) => ({
  TableName,
  Key: keyOf(pk, sk),
  UpdateExpression: to.text,
  ...conditional(on),
  ...withValues(to, on),
}));

const allOld = fc.constantFrom<ReturnValue>('NONE', 'ALL_OLD');
/** Without `ALL_OLD`, for which the embedded DynamoDB returns an item where there was none
 *  (table.test.ts). */
const anyReturn = fc.constantFrom<ReturnValue>('NONE', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW');

const action: fc.Arbitrary<(pk: string) => TransactWriteItem> = fc.oneof(
  putInput.map(input => (pk: string) => ({ Put: input(pk) })),
  deleteInput.map(input => (pk: string) => ({ Delete: input(pk) })),
  updateInput.map(input => (pk: string) => ({ Update: input(pk) })),
  fc.tuple(sortKey, tree).map(([sk, text]) => (pk: string) => ({
    ConditionCheck: {
      TableName,
      Key: keyOf(pk, sk),
      ConditionExpression: text,
      ...withValues({ text, values: valuesIn(text) }),
    },
  })),
);

const range = fc.option(
  fc.oneof(
    fc
      .tuple(fc.constantFrom(':a', ':b', ':c'), fc.constantFrom(':a', ':b', ':c'))
      .map(([from, to]) => `sk BETWEEN ${from} AND ${to}`),
    fc
      .tuple(
        fc.constantFrom('sk = ', 'sk < ', 'sk <= ', 'sk > ', 'sk >= ', 'begins_with(sk, '),
        fc.constantFrom(':a', ':b', ':c'),
      )
      .map(([start, value]) => `${start}${value}${start.includes('(') ? ')' : ''}`),
  ),
  { nil: undefined },
);
const projection = fc.option(fc.constantFrom('sk', 'sk, n', 'm, s', 'nope'), { nil: undefined });
const projected = (names: string | undefined) => names && { ProjectionExpression: names };

const anyCommand: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(putInput, allOld).map(
      ([input, ReturnValues]) =>
        (pk: string) =>
          new PutItemCommand({ ...input(pk), ReturnValues }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(deleteInput, allOld).map(
      ([input, ReturnValues]) =>
        (pk: string) =>
          new DeleteItemCommand({ ...input(pk), ReturnValues }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(updateInput, anyReturn).map(
      ([input, ReturnValues]) =>
        (pk: string) =>
          new UpdateItemCommand({ ...input(pk), ReturnValues }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc
      .array(action, { minLength: 1, maxLength: 4 })
      .map(
        actions => (pk: string) =>
          new TransactWriteItemsCommand({ TransactItems: actions.map(one => one(pk)) }),
      ),
  },
  fc.tuple(sortKey, projection).map(
    ([sk, names]) =>
      (pk: string) =>
        new GetItemCommand({ TableName, Key: keyOf(pk, sk), ConsistentRead: true, ...projected(names) }),
  ),
  fc.tuple(fc.array(sortKey, { maxLength: 5 }), projection).map(
    ([sks, names]) =>
      (pk: string) =>
        new BatchGetItemCommand({
          RequestItems: {
            [TableName]: { Keys: sks.map(sk => keyOf(pk, sk)), ConsistentRead: true, ...projected(names) },
          },
        }),
  ),
  fc
    .record({
      range,
      filter: fc.option(tree, { nil: undefined }),
      names: projection,
      forward: fc.boolean(),
      limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      start: fc.option(sortKey, { nil: undefined }),
    })
    .map(
      ({ range, filter, names, forward, limit, start }) =>
        (pk: string) =>
          new QueryCommand({
            TableName,
            KeyConditionExpression: `pk = :pk${range === undefined ? '' : ` AND ${range}`}`,
            ExpressionAttributeValues: { ':pk': { S: pk }, ...valuesIn(`${range} ${filter}`) },
            ConsistentRead: true,
            ScanIndexForward: forward,
            ...(filter !== undefined && { FilterExpression: filter }),
            ...(limit !== undefined && { Limit: limit }),
            // Not together with a range: the embedded DynamoDB accepts a start outside of it
            // (table.test.ts).
            ...(start !== undefined && range === undefined && { ExclusiveStartKey: keyOf(pk, start) }),
            ...projected(names),
          }),
    ),
);

/** Makes one command, for the partition that it is given. */
export const command: fc.Arbitrary<Make> = anyCommand.map(make =>
  Object.assign((pk: string) => make(pk), { [fc.toStringMethod]: () => shown(make('p')) }),
);

function shown(one: object): string {
  return `${one.constructor.name} ${JSON.stringify((one as { input?: object }).input)}`;
}
