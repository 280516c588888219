import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';

type Values = Record<string, AttributeValue>;
type Make<Made = object> = (pk: string) => Made;

const TableName = 'changewire';
const VALUES: Values = {
  ':zero': { N: '0' },
  ':one': { N: '1' },
  ':a': { S: 'a' },
  ':b': { S: 'ﬁ' },
  ':c': { S: '😀' },
  ':yes': { BOOL: true },
  ':bytes': { B: new Uint8Array([1, 2]) },
};

const sortKey = fc.constantFrom('a', 'a#1', 'b', 'é', 'ﬁ', '😀');
const attribute = fc.constantFrom('n', 'm', 's', 'nope');
const valueName = fc.constantFrom(...Object.keys(VALUES));
const numberName = fc.constantFrom(':zero', ':one');
const textName = fc.constantFrom(':a', ':b', ':c');

const keyOf = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
/** The values that the expressions use. */
const valuesOf = (...expressions: (string | undefined)[]) => {
  const used = expressions.join(' ').match(/:\w+/g) ?? [];
  const ExpressionAttributeValues = Object.fromEntries(
    used.map(name => [name, VALUES[name] as AttributeValue]),
  );
  return used.length > 0 ? { ExpressionAttributeValues } : {};
};
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

const single = fc.oneof(
  fc.tuple(attribute, fc.constantFrom('=', '<>'), valueName).map(parts => parts.join(' ')),
  fc.tuple(attribute, fc.constantFrom('<', '<=', '>', '>='), numberName).map(parts => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('attribute_exists', 'attribute_not_exists'), attribute)
    .map(([name, of]) => `${name}(${of})`),
  fc.tuple(attribute, textName).map(([of, prefix]) => `begins_with(${of}, ${prefix})`),
);
const junction = fc.constantFrom('AND', 'OR');
const { tree } = fc.letrec<{ tree: string }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    single,
    fc.tuple(single, junction, tie('tree')).map(parts => parts.join(' ')),
    fc
      .tuple(tie('tree'), junction, single)
      .map(([left, or, right]) => `(${left} ${or} ${right}) ${or} ${right}`),
  ),
}));
const condition = maybe(tree);

const change = fc
  .record({
    set: fc.dictionary(attribute, fc.oneof(valueName, fc.constant('+ :one')), { maxKeys: 3 }),
    remove: fc.uniqueArray(attribute, { maxLength: 2 }),
  })
  .map(({ set, remove }) => {
    const sets = Object.entries(set).map(([name, value]) =>
      value.startsWith('+') ? `n = n ${value}` : `${name} = ${value}`,
    );
    // Not the same attribute in both: the embedded DynamoDB finds this error late in transactions.
    const removed = remove.filter(name => !(name in set) && name !== 'n');
    const parts = [
      ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
    ];
    return parts.join(' ');
  })
  .filter(text => text !== '' && (text.match(/\bn =/g) ?? []).length < 2);

const attributes = fc.record(
  {
    n: fc.constantFrom('0', '1', '20', '-1').map(N => ({ N })),
    m: valueName.map(name => VALUES[name] as AttributeValue),
    s: fc.constantFrom('a', 'ab', 'ﬁx').map(S => ({ S })),
  },
  { requiredKeys: [] },
);

const conditional = (ConditionExpression: string | undefined) => ({
  ...(ConditionExpression && { ConditionExpression }),
  ...valuesOf(ConditionExpression),
});
const putInput = fc.tuple(sortKey, attributes, condition).map(([sk, item, on]) => (pk: string) => ({
  ...{ TableName, Item: { ...keyOf(pk, sk), ...item } },
  ...conditional(on),
}));
const deleteInput = fc.tuple(sortKey, condition).map(([sk, on]) => (pk: string) => ({
  ...{ TableName, Key: keyOf(pk, sk) },
  ...conditional(on),
}));
const updateInput = fc.tuple(sortKey, change, condition).map(([sk, to, on]) => (pk: string) => ({
  ...{ TableName, Key: keyOf(pk, sk), UpdateExpression: to },
  ...conditional(on),
  ...valuesOf(to, on),
}));
const checkInput = fc.tuple(sortKey, tree).map(([sk, on]) => (pk: string) => ({
  ...{ TableName, Key: keyOf(pk, sk), ConditionExpression: on },
  ...valuesOf(on),
}));
const action: fc.Arbitrary<Make<TransactWriteItem>> = fc.oneof(
  putInput.map(input => (pk: string) => ({ Put: input(pk) })),
  deleteInput.map(input => (pk: string) => ({ Delete: input(pk) })),
  updateInput.map(input => (pk: string) => ({ Update: input(pk) })),
  checkInput.map(input => (pk: string) => ({ ConditionCheck: input(pk) })),
);

const range = fc.oneof(
  fc.tuple(textName, textName).map(([from, to]) => ` AND sk BETWEEN ${from} AND ${to}`),
  textName.map(prefix => ` AND begins_with(sk, ${prefix})`),
);
const projection = maybe(
  fc.constantFrom('sk', 'sk, n', 'm, s', 'nope').map(ProjectionExpression => ({ ProjectionExpression })),
);
const queryInput = fc
  .record({
    range: maybe(range),
    filter: condition,
    names: projection,
    ScanIndexForward: fc.boolean(),
    Limit: maybe(fc.integer({ min: 1, max: 4 })),
    start: maybe(sortKey),
  })
  .map(({ range = '', filter, names, start, ...more }) => (pk: string) => ({
    ...{ TableName, ConsistentRead: true, KeyConditionExpression: `pk = :pk${range}`, ...more, ...names },
    ...(filter !== undefined && { FilterExpression: filter }),
    // Not together with a range: the embedded DynamoDB accepts a start outside of it (table.test.ts).
    ...(start !== undefined && range === '' && { ExclusiveStartKey: keyOf(pk, start) }),
    ExpressionAttributeValues: {
      ':pk': { S: pk },
      ...valuesOf(range, filter).ExpressionAttributeValues,
    },
  }));

const anyCommand: fc.Arbitrary<Make> = fc.oneof(
  { weight: 4, arbitrary: putInput.map(input => (pk: string) => new PutItemCommand(input(pk))) },
  { weight: 2, arbitrary: deleteInput.map(input => (pk: string) => new DeleteItemCommand(input(pk))) },
  {
    weight: 5,
    arbitrary: fc.tuple(updateInput, maybe(fc.constant('UPDATED_OLD' as const))).map(
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
        new GetItemCommand({ TableName, Key: keyOf(pk, sk), ConsistentRead: true, ...names }),
  ),
  fc.tuple(fc.array(sortKey, { maxLength: 5 }), projection).map(([sks, names]) => (pk: string) => {
    const request = { Keys: sks.map(sk => keyOf(pk, sk)), ConsistentRead: true, ...names };
    return new BatchGetItemCommand({ RequestItems: { [TableName]: request } });
  }),
  queryInput.map(input => (pk: string) => new QueryCommand(input(pk))),
);

/** Makes one command, for the partition that it is given. */
export const command: fc.Arbitrary<Make> = anyCommand.map(make =>
  Object.assign((pk: string) => make(pk), { [fc.toStringMethod]: () => shown(make('p')) }),
);

function shown(one: object): string {
  return `${one.constructor.name} ${JSON.stringify((one as { input?: object }).input)}`;
}
