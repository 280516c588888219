import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  paginateQuery,
  paginateScan,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenTable } from '../../kit/store/tables.ts';

type Values = Record<string, AttributeValue>;

/** Names of partitions, so that no test meets another one's items. */
let partitions = 0;

/** What our code needs of a table, as raw commands: one suite for DynamoDB and for its substitutes. Error
 *  messages are tested only where DynamoDB's regions agree on them. */
export function tableContract(name: string, open: () => Promise<OpenTable>): void {
  describe(`${name}, as a table`, () => {
    let table: OpenTable;
    let pk: string;
    let TableName: string;
    beforeAll(async () => {
      table = await open();
      TableName = table.tableName;
    });
    afterAll(() => table?.stop());
    beforeEach(() => {
      pk = `partition ${++partitions}`;
    });

    const key = (sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
    const put = (sk: string, attributes: Values = {}, more: Partial<PutItemCommandInput> = {}) =>
      table.client.send(new PutItemCommand({ TableName, Item: { ...key(sk), ...attributes }, ...more }));
    const update = (sk: string, UpdateExpression: string, more: Partial<UpdateItemCommandInput> = {}) =>
      table.client.send(new UpdateItemCommand({ TableName, Key: key(sk), UpdateExpression, ...more }));
    const remove = (sk: string, ConditionExpression?: string) =>
      table.client.send(
        new DeleteItemCommand({
          TableName,
          Key: key(sk),
          ...(ConditionExpression && { ConditionExpression }),
        }),
      );
    const transact = (...TransactItems: TransactWriteItem[]) =>
      table.client.send(new TransactWriteItemsCommand({ TransactItems }));
    const putting = (sk: string, attributes: Values = {}, ConditionExpression?: string) => ({
      Put: {
        TableName,
        Item: { ...key(sk), ...attributes },
        ...(ConditionExpression && { ConditionExpression }),
      },
    });
    const deleting = (sk: string, ConditionExpression?: string) => ({
      Delete: { TableName, Key: key(sk), ...(ConditionExpression && { ConditionExpression }) },
    });
    const updating = (
      sk: string,
      UpdateExpression: string,
      ExpressionAttributeValues: Values,
      ConditionExpression?: string,
    ) => ({
      Update: {
        TableName,
        Key: key(sk),
        UpdateExpression,
        ExpressionAttributeValues,
        ...(ConditionExpression && { ConditionExpression }),
      },
    });
    const get = async (sk: string) => {
      const command = new GetItemCommand({ TableName, Key: key(sk), ConsistentRead: true });
      return (await table.client.send(command)).Item;
    };
    const queryInput = (more: Partial<QueryCommandInput> = {}, values: Values = {}): QueryCommandInput => ({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk }, ...values },
      ConsistentRead: true,
      ...more,
    });
    const query = (more: Partial<QueryCommandInput> = {}, values: Values = {}) =>
      table.client.send(new QueryCommand(queryInput(more, values)));
    const keysOf = (items: Values[] = []) => items.map(item => item.sk?.S);
    const found = async (more: Partial<QueryCommandInput> = {}, values: Values = {}) =>
      keysOf((await query(more, values)).Items);
    const batchGet = (sks: string[], more: object = {}) =>
      table.client.send(
        new BatchGetItemCommand({
          RequestItems: { [TableName]: { Keys: sks.map(key), ConsistentRead: true, ...more } },
        }),
      );
    const records = async () => (await table.stream()).filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S === pk);
    const bytes = (length: number) => new Uint8Array(length);
    const invalid = { name: 'ValidationException' };

    describe('a write', () => {
      it('is read back whole, whatever it holds', async () => {
        const attributes: Values = {
          text: { S: 'Größe 😀' },
          empty: { S: '' },
          bytes: { B: new Uint8Array([0, 255, 7]) },
          none: { B: bytes(0) },
          yes: { BOOL: true },
          no: { BOOL: false },
          nothing: { NULL: true },
          nested: { L: [{ M: { a: { S: 'x' } } }, { N: '1' }] },
        };
        await put('a', attributes);
        expect(await get('a')).toEqual({ ...key('a'), ...attributes });
        expect(await get('b')).toBeUndefined();
      });

      it('replaces the whole item', async () => {
        await put('a', { x: { S: '1' } });
        const { Attributes } = await put('a', { y: { S: '2' } }, { ReturnValues: 'ALL_OLD' });
        expect(Attributes).toEqual({ ...key('a'), x: { S: '1' } });
        expect(await get('a')).toEqual({ ...key('a'), y: { S: '2' } });
      });

      it('deletes, also what is not there', async () => {
        await put('a');
        await remove('a');
        await remove('a');
        expect(await get('a')).toBeUndefined();
      });

      it.each([
        ['1.50', '1.5'],
        ['-0', '0'],
        ['007', '7'],
        ['1e3', '1000'],
        ['-1.20E-3', '-0.0012'],
        ['1780000000000.25', '1780000000000.25'],
        ['9'.repeat(38), '9'.repeat(38)],
      ])('keeps the number %s as %s', async (given, kept) => {
        await put('a', { n: { N: given } });
        expect((await get('a'))?.n).toEqual({ N: kept });
      });

      it.each(['', 'NaN', 'Infinity', '0x10', '1'.repeat(39), '1e126', '1e-131'])(
        'refuses %j as a number',
        async text => {
          await expect(put('a', { n: { N: text } })).rejects.toMatchObject(invalid);
        },
      );

      it('refuses a value that says nothing', async () => {
        await expect(put('a', { x: {} as AttributeValue })).rejects.toMatchObject(invalid);
      });

      it('is not changed by what the caller does with its request or an answer', async () => {
        const attributes = { x: { S: '1' }, deep: { M: { y: { S: '1' } } } };
        await put('a', attributes);
        attributes.x.S = '2';
        attributes.deep.M.y.S = '2';
        const read = await get('a');
        expect(read).toMatchObject({ x: { S: '1' }, deep: { M: { y: { S: '1' } } } });
        Object.assign(read?.x ?? {}, { S: '3' });
        Object.assign(read?.deep?.M?.y ?? {}, { S: '3' });
        for (const item of (await query()).Items ?? []) Object.assign(item.x ?? {}, { S: '4' });
        expect(await get('a')).toMatchObject({ x: { S: '1' }, deep: { M: { y: { S: '1' } } } });
      });
    });

    describe('the stream', () => {
      it('tells inserts, changes and removals, each with the new image', async () => {
        const blob = { B: new Uint8Array([1, 2, 250]) };
        await put('a', { blob, n: { N: '1' } });
        await update('a', 'SET n = :n', { ExpressionAttributeValues: { ':n': { N: '2.0' } } });
        await put('a', { blob });
        await remove('a');
        const seen = await records();
        const image = { ...key('a'), blob: { B: 'AQL6' } };
        expect(seen.map(({ eventName, dynamodb }) => [eventName, dynamodb?.NewImage])).toEqual([
          ['INSERT', { ...image, n: { N: '1' } }],
          ['MODIFY', { ...image, n: { N: '2' } }],
          ['MODIFY', image],
          ['REMOVE', undefined],
        ]);
        for (const { eventSource, dynamodb } of seen) {
          expect(eventSource).toBe('aws:dynamodb');
          expect(dynamodb).toMatchObject({ Keys: key('a'), StreamViewType: 'NEW_IMAGE' });
        }
      });

      it('tells nothing of a removal of nothing', async () => {
        await remove('a');
        await transact(deleting('a'), putting('b'));
        expect((await records()).map(({ dynamodb }) => dynamodb?.Keys?.sk?.S)).toEqual(['b']);
      });

      it('tells each write once, in the order of the commits, under growing numbers', async () => {
        const order = Array.from({ length: 30 }, (_, index) => index);
        for (const index of order) {
          const actions = [putting('project', { n: { N: `${index}` } }), putting(`CHANGE#${index}`)];
          await transact(...(index % 2 ? actions : actions.reverse()));
        }
        const seen = await records();
        const changes = seen.flatMap(({ eventName, dynamodb }) =>
          eventName === 'INSERT' && dynamodb?.Keys?.sk?.S?.startsWith('CHANGE#') ? [dynamodb.Keys.sk.S] : [],
        );
        expect(changes).toEqual(order.map(index => `CHANGE#${index}`));
        const versions = seen.flatMap(({ dynamodb }) => dynamodb?.NewImage?.n?.N ?? []);
        expect(versions).toEqual(order.map(String));
        const numbers = seen.map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? ''));
        expect(numbers).toEqual(numbers.toSorted((left, right) => (left < right ? -1 : 1)));
        expect(new Set(numbers).size).toBe(60);
        expect(new Set(seen.map(({ eventID }) => eventID)).size).toBe(60);
      });

      it('tells what concurrent writers did in the order in which it came to be', async () => {
        await put('a', { n: { N: '0' } });
        const add = () =>
          update('a', 'SET n = n + :one', { ExpressionAttributeValues: { ':one': { N: '1' } } });
        await Promise.all(Array.from({ length: 10 }, add));
        const seen = (await records()).map(({ dynamodb }) => dynamodb?.NewImage?.n?.N);
        expect(seen).toEqual(Array.from({ length: 11 }, (_, index) => `${index}`));
      });
    });

    describe('a condition', () => {
      beforeEach(() => put('a', { n: { N: '5' }, s: { S: 'Acme' }, b: { B: new Uint8Array([1, 2]) } }));

      const values: Values = {
        ':four': { N: '4' },
        ':five': { N: '5.0' },
        ':ac': { S: 'Ac' },
        ':one': { B: new Uint8Array([1]) },
      };
      const holds = async (ConditionExpression: string, sk = 'a') => {
        const used = Object.entries(values).filter(([name]) => ConditionExpression.includes(name));
        const more = {
          ConditionExpression,
          ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
        };
        try {
          await update(sk, 'REMOVE nothing', more);
          return true;
        } catch (error) {
          expect(error).toMatchObject({
            name: 'ConditionalCheckFailedException',
            message: 'The conditional request failed',
          });
          return false;
        }
      };

      it.each([
        ['attribute_exists(n)', true],
        ['attribute_exists(pk)', true],
        ['attribute_exists(nope)', false],
        ['attribute_not_exists(n)', false],
        ['attribute_not_exists(nope)', true],
        ['n = :five', true],
        ['n <> :five', false],
        ['n <> :four', true],
        ['n > :four', true],
        ['n < :four', false],
        ['n >= :five', true],
        ['n <= :four', false],
        [':four < n', true],
        ['s > :ac', true],
        ['b > :one', true],
        ['begins_with(s, :ac)', true],
        ['begins_with(b, :one)', true],
        ['begins_with(n, :ac)', false],
        ['begins_with(nope, :ac)', false],
        ['n = s', false],
        // A missing attribute, or one of another type, is not equal to any value, and neither smaller nor
        // larger.
        ['nope = :five', false],
        ['nope <> :five', true],
        ['nope < :five', false],
        ['nope >= :five', false],
        ['n BETWEEN :four AND :five', true],
        ['n BETWEEN :four AND :four', false],
        ['NOT n between :five and :five', false],
        ['s BETWEEN :ac AND :ac', false],
        ['s BETWEEN :four AND :five', false],
        ['nope BETWEEN :four AND :five', false],
        ['n = :four OR n BETWEEN :four AND :five AND n = :five', true],
        ['s = :five', false],
        ['s <> :five', true],
        ['s < :five', false],
        ['s > :five', false],
        ['NOT s > :five', true],
        ['NOT n = :four AND n = :five', true],
        ['NOT (n = :four OR n = :five)', false],
        ['n = :four AND n = :four OR n = :five', true],
        ['n = :five OR n = :four AND n = :four', true],
        ['(n = :five OR n = :four) AND n = :four', false],
        ['(attribute_exists(nope) or n = :five) and not begins_with(s, :one)', true],
      ])('%s is %s', async (condition, expected) => {
        expect(await holds(condition)).toBe(expected);
      });

      it('of an item that is not there sees no attributes, and makes none when it fails', async () => {
        expect(await holds('attribute_exists(pk)', 'none')).toBe(false);
        expect(await get('none')).toBeUndefined();
        await expect(remove('none', 'attribute_exists(pk)')).rejects.toMatchObject({
          name: 'ConditionalCheckFailedException',
        });
        expect(await holds('attribute_not_exists(pk)', 'none')).toBe(true);
        expect(await get('none')).toEqual(key('none'));
      });

      it('that fails writes nothing', async () => {
        const refused = { name: 'ConditionalCheckFailedException' };
        await expect(put('a', {}, { ConditionExpression: 'attribute_not_exists(pk)' })).rejects.toMatchObject(
          refused,
        );
        await expect(remove('a', 'attribute_not_exists(n)')).rejects.toMatchObject(refused);
        expect(await get('a')).toMatchObject({ n: { N: '5' } });
        expect(await records()).toHaveLength(1);
      });

      it('lets one of many writers through', async () => {
        const writers = ['w1', 'w2', 'w3', 'w4', 'w5'];
        const results = await Promise.allSettled(
          writers.map(writer =>
            update('lease', 'SET holder = :me', {
              ConditionExpression: 'attribute_not_exists(holder)',
              ExpressionAttributeValues: { ':me': { S: writer } },
            }),
          ),
        );
        const winners = writers.filter((_, index) => results[index]?.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect((await get('lease'))?.holder?.S).toBe(winners[0]);
      });
    });

    describe('an expression', () => {
      const one: Values = { ':one': { N: '1' } };
      it.each<[string, Partial<PutItemCommandInput>, RegExp]>([
        [
          'a value that no expression uses',
          { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeValues: one },
          /unused in expressions: keys: \{:one\}/,
        ],
        [
          'a name that no expression uses',
          { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeNames: { '#a': 'a' } },
          /unused in expressions: keys: \{#a\}/,
        ],
        ['a value that is not given', { ConditionExpression: 'n = :one' }, /not defined.*:one/],
        ['a name that is not given', { ConditionExpression: 'attribute_exists(#a)' }, /not defined.*#a/],
        [
          'values without an expression',
          { ExpressionAttributeValues: one },
          /ExpressionAttributeValues can only be specified when using expressions/,
        ],
        [
          'names without an expression',
          { ExpressionAttributeNames: { '#a': 'a' } },
          /ExpressionAttributeNames can only be specified when using expressions/,
        ],
        [
          'no values at all',
          { ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeValues: {} },
          /ExpressionAttributeValues must not be empty/,
        ],
        [
          'no names at all',
          { ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeNames: {} },
          /ExpressionAttributeNames must not be empty/,
        ],
        ['nothing in it', { ConditionExpression: '' }, /The expression can not be empty/],
        ['a reserved word', { ConditionExpression: 'attribute_exists(window)' }, /reserved keyword: window/],
        [
          'a reserved word in capitals',
          { ConditionExpression: 'attribute_exists(State)' },
          /reserved keyword/,
        ],
        [
          'two parentheses for one',
          { ConditionExpression: '((attribute_exists(a)))' },
          /redundant parentheses/,
        ],
        [
          'bounds that are the wrong way round',
          {
            ConditionExpression: 'n BETWEEN :one AND :zero',
            ExpressionAttributeValues: { ...one, ':zero': { N: '0' } },
          },
          /BETWEEN operator requires upper bound/,
        ],
        [
          'bounds of two types',
          {
            ConditionExpression: 'n BETWEEN :one AND :text',
            ExpressionAttributeValues: { ...one, ':text': { S: 'a' } },
          },
          /BETWEEN operator requires same data type/,
        ],
        [
          'a prefix that is a number',
          { ConditionExpression: 'begins_with(s, :one)', ExpressionAttributeValues: one },
          /Incorrect operand type/,
        ],
      ])('with %s is refused', async (_, more, message) => {
        await expect(put('a', {}, more)).rejects.toMatchObject({
          ...invalid,
          message: expect.stringMatching(message),
        });
        expect(await get('a')).toBeUndefined();
      });
    });

    describe('an update', () => {
      const one: Values = { ':one': { N: '1' } };

      it('sets, adds and removes, from the item as it was', async () => {
        await put('a', { n: { N: '5' }, text: { S: 'x' }, gone: { S: 'y' } });
        await update('a', 'SET n = n + :one, was = n, same = #t, fewer = n - :one REMOVE gone, #w', {
          ExpressionAttributeValues: one,
          ExpressionAttributeNames: { '#w': 'window', '#t': 'text' },
        });
        expect(await get('a')).toEqual({
          ...key('a'),
          n: { N: '6' },
          was: { N: '5' },
          fewer: { N: '4' },
          same: { S: 'x' },
          text: { S: 'x' },
        });
      });

      it('adds exactly', async () => {
        await put('a', { n: { N: '9007199254740993' } });
        await update('a', 'SET n = n + :half', { ExpressionAttributeValues: { ':half': { N: '0.5' } } });
        expect((await get('a'))?.n).toEqual({ N: '9007199254740993.5' });
      });

      it('makes the item that is not there, also when it only removes', async () => {
        await update('a', 'SET n = :one', { ExpressionAttributeValues: one });
        await update('b', 'REMOVE n');
        expect(await get('a')).toEqual({ ...key('a'), n: { N: '1' } });
        expect(await get('b')).toEqual(key('b'));
      });

      it('returns what was asked for', async () => {
        const returned = async (sk: string, ReturnValues: UpdateItemCommandInput['ReturnValues']) => {
          await put('a', { n: { N: '1' }, x: { S: 'x' } });
          const { Attributes } = await update(sk, 'SET n = :n REMOVE x, y', {
            ExpressionAttributeValues: { ':n': { N: '2' } },
            ReturnValues,
          });
          return Attributes;
        };
        expect(await returned('a', 'NONE')).toBeUndefined();
        expect(await returned('a', 'ALL_OLD')).toEqual({ ...key('a'), n: { N: '1' }, x: { S: 'x' } });
        expect(await returned('a', 'ALL_NEW')).toEqual({ ...key('a'), n: { N: '2' } });
        expect(await returned('a', 'UPDATED_OLD')).toEqual({ n: { N: '1' }, x: { S: 'x' } });
        expect(await returned('a', 'UPDATED_NEW')).toEqual({ n: { N: '2' } });
        expect(await returned('made', 'UPDATED_OLD')).toBeUndefined();
      });

      it.each<[string, string, RegExp]>([
        ['a number that is not there', 'SET n = n + :one', /refers to an attribute that does not exist/],
        [
          'an attribute that is not there',
          'SET n = :one, x = y',
          /refers to an attribute that does not exist/,
        ],
        ['its own key', 'SET n = :one, sk = :one', /Cannot update attribute sk/],
        ['one attribute twice', 'SET n = :one REMOVE n', /Two document paths overlap/],
        ['two sections of one kind', 'SET n = :one SET x = :one', /can only be used once/],
        ['a reserved word', 'SET missing = :one', /reserved keyword: missing/],
      ])('of %s is refused', async (_, expression, message) => {
        await expect(update('a', expression, { ExpressionAttributeValues: one })).rejects.toMatchObject({
          ...invalid,
          message: expect.stringMatching(message),
        });
        expect(await get('a')).toBeUndefined();
      });

      it('of text as a number is refused', async () => {
        await put('a', { s: { S: '1' } });
        await expect(
          update('a', 'SET s = s + :one', { ExpressionAttributeValues: one }),
        ).rejects.toMatchObject(invalid);
      });

      it('whose condition fails is not looked at further', async () => {
        const more = { ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeValues: one };
        await expect(update('a', 'SET n = n + :one', more)).rejects.toMatchObject({
          name: 'ConditionalCheckFailedException',
        });
      });
    });

    describe('a transaction', () => {
      const one: Values = { ':one': { N: '1' } };
      const reasons = async (transaction: Promise<unknown>) => {
        const error = await transaction.then(
          () => undefined,
          (thrown: unknown) => thrown as { name: string; message: string; CancellationReasons?: object[] },
        );
        expect(error?.name).toBe('TransactionCanceledException');
        return error?.CancellationReasons;
      };

      it('writes all of it', async () => {
        await put('gone');
        await transact(
          putting('a', { x: { S: '1' } }, 'attribute_not_exists(pk)'),
          deleting('gone', 'attribute_exists(pk)'),
          updating('b', 'SET n = :one', one),
          { ConditionCheck: { TableName, Key: key('c'), ConditionExpression: 'attribute_not_exists(pk)' } },
        );
        expect(await found()).toEqual(['a', 'b']);
      });

      it('or nothing, with a reason for each action, in their order', async () => {
        await put('taken');
        const cancelled = transact(
          putting('a'),
          putting('taken', {}, 'attribute_not_exists(pk)'),
          updating('b', 'SET n = :one', one),
          deleting('c', 'attribute_exists(pk)'),
          updating('d', 'SET n = n + :one', one),
        );
        await expect(cancelled).rejects.toMatchObject({
          message:
            'Transaction cancelled, please refer cancellation reasons for specific reasons ' +
            '[None, ConditionalCheckFailed, None, ConditionalCheckFailed, ValidationError]',
        });
        expect(await reasons(cancelled)).toMatchObject([
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
          {
            Code: 'ValidationError',
            Message: 'The provided expression refers to an attribute that does not exist in the item',
          },
        ]);
        expect(await found()).toEqual(['taken']);
        expect(await records()).toHaveLength(1);
      });

      it('asks its conditions of the table as it was before', async () => {
        await put('a');
        await transact(deleting('a'), {
          ConditionCheck: { TableName, Key: key('b'), ConditionExpression: 'attribute_not_exists(pk)' },
        });
        expect(await found()).toEqual([]);
      });

      it('lets one of many writers through, whole', async () => {
        await put('version', { n: { N: '0' } });
        const writers = ['w1', 'w2', 'w3', 'w4', 'w5'];
        const results = await Promise.allSettled(
          writers.map(writer =>
            transact(
              updating('version', 'SET n = n + :one', { ...one, ':zero': { N: '0' } }, 'n = :zero'),
              putting(`change ${writer}`, {}, 'attribute_not_exists(pk)'),
            ),
          ),
        );
        const winners = writers.filter((_, index) => results[index]?.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect(await found()).toEqual([`change ${winners[0]}`, 'version']);
        expect((await get('version'))?.n).toEqual({ N: '1' });
      });

      it('with two actions on one item is refused', async () => {
        await expect(transact(putting('a'), deleting('a'))).rejects.toMatchObject({
          ...invalid,
          message: 'Transaction request cannot include multiple operations on one item',
        });
      });

      it('takes 100 actions, and not one more', async () => {
        const actions = Array.from({ length: 101 }, (_, index) => putting(`item ${index}`));
        await expect(transact(...actions)).rejects.toMatchObject(invalid);
        expect(await found()).toEqual([]);
        await transact(...actions.slice(0, 100));
        expect(await found()).toHaveLength(100);
        await expect(transact()).rejects.toMatchObject(invalid);
      });

      it('takes nearly 4 MB, and not more', async () => {
        const actions = Array.from({ length: 11 }, (_, index) =>
          putting(`i${index}`, { b: { B: bytes(400_000) } }),
        );
        await expect(transact(...actions)).rejects.toMatchObject(invalid);
        expect(await found({ ProjectionExpression: 'sk' })).toEqual([]);
        await transact(...actions.slice(0, 10));
        expect(await get('i9')).toBeDefined();
      });

      it('with a put above 400 KB is refused; with an update that comes to that, cancelled', async () => {
        const blob = { b: { B: bytes(400 * 1024) } };
        await expect(transact(putting('a'), putting('b', blob))).rejects.toMatchObject(invalid);
        await put('big', { b: { B: bytes(300_000) } });
        const more = updating('big', 'SET c = :c', { ':c': { B: bytes(200_000) } });
        expect(await reasons(transact(putting('a'), more))).toMatchObject([
          { Code: 'None' },
          { Code: 'ValidationError' },
        ]);
        expect(await get('a')).toBeUndefined();
      });

      it('with a key that the table can not have is cancelled; with an empty one, refused', async () => {
        const number = { Put: { TableName, Item: { pk: { S: pk }, sk: { N: '1' } } } };
        expect(await reasons(transact(putting('a'), number))).toMatchObject([
          { Code: 'None' },
          { Code: 'ValidationError' },
        ]);
        const { pk: half } = key('a');
        expect(await reasons(transact({ Delete: { TableName, Key: { pk: half } } }))).toMatchObject([
          { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
        ]);
        await expect(transact(putting('a'), putting(''))).rejects.toMatchObject(invalid);
      });

      it('on another table says that there is none', async () => {
        const elsewhere = { Put: { TableName: 'nowhere', Item: key('a') } };
        await expect(transact(putting('a'), elsewhere)).rejects.toMatchObject({
          name: 'ResourceNotFoundException',
        });
      });
    });

    describe('an item', () => {
      it('may have 400 KB with its names, and not one byte more', async () => {
        const room = 400 * 1024 - Buffer.byteLength(`pk${pk}skabn`) - 2;
        await put('a', { b: { B: bytes(room) }, n: { N: '7' } });
        await expect(put('a', { b: { B: bytes(room + 1) }, n: { N: '7' } })).rejects.toMatchObject({
          ...invalid,
          message: 'Item size has exceeded the maximum allowed size',
        });
        await expect(
          update('a', 'SET x = :x', { ExpressionAttributeValues: { ':x': { S: 'x'.repeat(3000) } } }),
        ).rejects.toMatchObject({
          ...invalid,
          message: 'Item size to update has exceeded the maximum allowed size',
        });
      });

      it('may have a sort key of 1024 bytes, a partition key of 2048, and no longer ones', async () => {
        const longest = `${'x'.repeat(1022)}ü`;
        await put(longest);
        expect(await get(longest)).toBeDefined();
        await expect(put(`${longest}x`)).rejects.toMatchObject(invalid);
        await expect(get(`${longest}x`)).rejects.toMatchObject(invalid);
        await expect(remove(`${longest}x`)).rejects.toMatchObject(invalid);
        await expect(batchGet(['a', `${longest}x`])).rejects.toMatchObject(invalid);
        pk = 'p'.repeat(2048);
        await put('a');
        pk = 'p'.repeat(2049);
        await expect(put('a')).rejects.toMatchObject(invalid);
      });

      it.each<[string, Values]>([
        ['half a key', { pk: { S: 'x' } }],
        ['an empty key', { pk: { S: 'x' }, sk: { S: '' } }],
        ['a number as key', { pk: { S: 'x' }, sk: { N: '1' } }],
      ])('with %s is none', async (_, Item) => {
        await expect(table.client.send(new PutItemCommand({ TableName, Item }))).rejects.toMatchObject(
          invalid,
        );
        const read = new GetItemCommand({ TableName, Key: Item, ConsistentRead: true });
        await expect(table.client.send(read)).rejects.toMatchObject(invalid);
      });

      it('is asked for by its key alone', async () => {
        const Key = { ...key('a'), more: { S: '1' } };
        const read = new GetItemCommand({ TableName, Key, ConsistentRead: true });
        await expect(table.client.send(read)).rejects.toMatchObject(invalid);
      });

      it('of another table is not found', async () => {
        const read = new GetItemCommand({ TableName: 'nowhere', Key: key('a'), ConsistentRead: true });
        await expect(table.client.send(read)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
      });
    });

    describe('a query', () => {
      const SORTED = ['B', 'a', 'a#1', 'a#10', 'a#2', 'b', '~', 'é', 'ﬁ', '\uffff', '😀'];
      const fill = async (sks = SORTED) => {
        for (const sk of sks.toReversed()) await put(sk, { id: { S: sk } });
      };

      it('goes in the order of the sort keys’ UTF-8 bytes, and back', async () => {
        await fill();
        expect(await found()).toEqual(SORTED);
        expect(await found({ ScanIndexForward: false })).toEqual(SORTED.toReversed());
      });

      it.each([
        ['sk = :sk', ['a#1']],
        ['sk < :sk', ['B', 'a']],
        ['sk <= :sk', ['B', 'a', 'a#1']],
        ['sk > :sk', SORTED.slice(3)],
        ['sk >= :sk', SORTED.slice(2)],
        ['begins_with(sk, :sk)', ['a#1', 'a#10']],
      ])('finds %s', async (condition, expected) => {
        await fill();
        const more = { KeyConditionExpression: `pk = :pk AND ${condition}` };
        expect(await found(more, { ':sk': { S: 'a#1' } })).toEqual(expected);
        const named = { ...more, ExpressionAttributeNames: { '#pk': 'pk' } };
        named.KeyConditionExpression = `#pk = :pk AND ${condition}`;
        expect(await found(named, { ':sk': { S: 'a#1' } })).toEqual(expected);
      });

      it.each([
        ['a', 'a#2', ['a', 'a#1', 'a#10', 'a#2']],
        ['a#', 'a#~', ['a#1', 'a#10', 'a#2']],
        ['C', 'Z', []],
        ['b', 'b', ['b']],
        ['~', '\uffff', ['~', 'é', 'ﬁ', '\uffff']],
      ])(
        'finds what lies between %j and %j, in both directions and page after page',
        async (from, to, expected) => {
          await fill();
          const between = { KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to' };
          const values = { ':from': { S: from }, ':to': { S: to } };
          expect(await found(between, values)).toEqual(expected);
          expect(await found({ ...between, ScanIndexForward: false }, values)).toEqual(expected.toReversed());
          const input = queryInput(between, values);
          const pages = await Array.fromAsync(paginateQuery({ client: table.client, pageSize: 2 }, input));
          expect(pages.flatMap(({ Items }) => keysOf(Items))).toEqual(expected);
        },
      );

      it('between bounds that are the wrong way round is refused', async () => {
        const between = { KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to' };
        await expect(query(between, { ':from': { S: 'b' }, ':to': { S: 'a' } })).rejects.toMatchObject(
          invalid,
        );
      });

      it('finds nothing where nothing is', async () => {
        expect(await query()).toMatchObject({ Items: [], Count: 0, ScannedCount: 0 });
      });

      it('goes on where its page ended, in both directions', async () => {
        await fill();
        for (const forward of [true, false]) {
          const all: (string | undefined)[] = [];
          let pages = 0;
          const input = queryInput({ ScanIndexForward: forward });
          for await (const page of paginateQuery({ client: table.client, pageSize: 3 }, input)) {
            all.push(...keysOf(page.Items));
            pages++;
          }
          expect(all).toEqual(forward ? SORTED : SORTED.toReversed());
          expect(pages).toBe(4);
        }
      });

      it('tells where its page ended also when nothing is left, and forgets it after the last', async () => {
        await fill(['a', 'b']);
        const page = await query({ Limit: 2 });
        expect(page.LastEvaluatedKey).toEqual(key('b'));
        const end = await query({ Limit: 2, ExclusiveStartKey: page.LastEvaluatedKey });
        expect(end).toMatchObject({ Items: [], Count: 0 });
        expect(end.LastEvaluatedKey).toBeUndefined();
        expect((await query({ Limit: 3 })).LastEvaluatedKey).toBeUndefined();
        await expect(query({ Limit: 0 })).rejects.toMatchObject(invalid);
      });

      it('goes on behind an item that was deleted meanwhile', async () => {
        await fill(['a', 'b', 'c']);
        const { LastEvaluatedKey } = await query({ Limit: 2 });
        await remove('b');
        expect(await found({ ExclusiveStartKey: LastEvaluatedKey })).toEqual(['c']);
      });

      it('of more than 1 MB comes in pages, also of what the filter leaves out', async () => {
        const names = Array.from({ length: 8 }, (_, index) => `item ${index}`);
        for (const [index, sk] of names.entries())
          await put(sk, { b: { B: bytes(300_000) }, ...(index > 5 && { late: { BOOL: true } }) });
        const pages = await Array.fromAsync(paginateQuery({ client: table.client }, queryInput()));
        expect(pages.length).toBeGreaterThan(1);
        expect(pages.flatMap(({ Items }) => keysOf(Items))).toEqual(names);
        const first = await query({ FilterExpression: 'attribute_exists(late)', ProjectionExpression: 'sk' });
        expect(first).toMatchObject({ Items: [], Count: 0 });
        expect(first.ScannedCount).toBeGreaterThan(0);
        expect(first.LastEvaluatedKey).toBeDefined();
      });

      it('leaves out what the filter does not want, and gives the attributes it was asked for', async () => {
        await put('a', { x: { S: '1' }, y: { S: '1' } });
        await put('b', { y: { S: '2' } });
        await put('c', { x: { S: '3' } });
        const answer = await query({
          FilterExpression: 'attribute_exists(x)',
          ProjectionExpression: 'sk, #y',
          ExpressionAttributeNames: { '#y': 'y' },
        });
        expect(answer).toMatchObject({ Count: 2, ScannedCount: 3 });
        expect(answer.Items).toEqual([{ sk: { S: 'a' }, y: { S: '1' } }, { sk: { S: 'c' } }]);
      });

      it.each<[string, Partial<QueryCommandInput>]>([
        ['a filter on its key', { FilterExpression: 'attribute_exists(sk)' }],
        ['one attribute twice', { ProjectionExpression: 'sk, sk' }],
        ['another order than a key has', { KeyConditionExpression: 'pk < :pk' }],
        ['no partition', { KeyConditionExpression: 'sk = :pk' }],
        ['another attribute', { KeyConditionExpression: 'pk = :pk AND x = :pk' }],
        ['two conditions for one key', { KeyConditionExpression: 'pk = :pk AND sk > :pk AND sk < :pk' }],
        ['all but one sort key', { KeyConditionExpression: 'pk = :pk AND sk <> :pk' }],
        ['either of two', { KeyConditionExpression: 'pk = :pk OR sk = :pk' }],
      ])('for %s is refused', async (_, more) => {
        await expect(query(more)).rejects.toMatchObject(invalid);
      });
    });

    describe('a scan', () => {
      const scanned = (more: Partial<ScanCommandInput> = {}) => ({
        TableName,
        ConsistentRead: true,
        ...more,
      });
      const all = async (more: Partial<ScanCommandInput> = {}, pageSize?: number) => {
        const pages = paginateScan({ client: table.client, ...(pageSize && { pageSize }) }, scanned(more));
        return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items);
      };
      const ours = (items: readonly Values[]) => items.filter(item => item.pk?.S?.startsWith(pk));

      it('finds every item of every partition once, each partition in the order of its sort keys', async () => {
        for (const partition of [' one', ' two'])
          for (const sk of ['b', 'a', 'c'])
            await table.client.send(
              new PutItemCommand({ TableName, Item: { pk: { S: pk + partition }, sk: { S: sk } } }),
            );
        for (const pageSize of [undefined, 1, 2]) {
          const found = ours(await all({}, pageSize));
          expect(found).toHaveLength(6);
          for (const partition of [' one', ' two'])
            expect(keysOf(found.filter(item => item.pk?.S === pk + partition))).toEqual(['a', 'b', 'c']);
        }
      });

      it('leaves out what the filter does not want, which may name keys, too', async () => {
        for (const sk of ['CHANGE#1', 'PROJECT#1', 'CHANGE#2']) await put(sk, { x: { S: sk } });
        const FilterExpression = 'begins_with(sk, :change)';
        const wanted = { FilterExpression, ExpressionAttributeValues: { ':change': { S: 'CHANGE#' } } };
        expect(ours(await all({ ...wanted, ProjectionExpression: 'pk, sk' }))).toEqual([
          key('CHANGE#1'),
          key('CHANGE#2'),
        ]);
        expect(await table.client.send(new ScanCommand(scanned({ ...wanted, Limit: 1 })))).toMatchObject({
          ScannedCount: 1,
          LastEvaluatedKey: expect.anything(),
        });
      });

      it('may only count, without any item', async () => {
        for (const sk of ['a', 'b']) await put(sk);
        const { Items, ...page } = await table.client.send(
          new ScanCommand(scanned({ Select: 'COUNT', Limit: 1 })),
        );
        expect(Items).toBeUndefined();
        expect(page).toMatchObject({ Count: 1, ScannedCount: 1, LastEvaluatedKey: expect.anything() });
      });

      it('goes on behind an item that was deleted meanwhile', async () => {
        for (const sk of ['a', 'b', 'c']) await put(sk);
        await remove('b');
        const rest = await all({ ExclusiveStartKey: key('b') });
        expect(keysOf(ours(rest))).toEqual(['c']);
      });
    });

    describe('a batch of reads', () => {
      it('finds what is there, in any order', async () => {
        await put('a', { x: { S: '1' } });
        await put('b', { y: { S: '2' } });
        const { Responses, UnprocessedKeys } = await batchGet(['b', 'none', 'a']);
        expect(Responses?.[TableName]).toHaveLength(2);
        expect(keysOf(Responses?.[TableName]).sort()).toEqual(['a', 'b']);
        expect(UnprocessedKeys).toEqual({});
        const some = await batchGet(['a', 'b'], { ProjectionExpression: 'x' });
        expect(some.Responses?.[TableName]).toEqual(expect.arrayContaining([{ x: { S: '1' } }, {}]));
        expect((await batchGet(['none'])).Responses?.[TableName]).toEqual([]);
      });

      it('takes 100 keys, each once', async () => {
        const keys = Array.from({ length: 101 }, (_, index) => `item ${index}`);
        await expect(batchGet(keys)).rejects.toMatchObject(invalid);
        await expect(batchGet([])).rejects.toMatchObject(invalid);
        await expect(batchGet(['a', 'a'])).rejects.toMatchObject(invalid);
        expect((await batchGet(keys.slice(0, 100))).Responses?.[TableName]).toEqual([]);
      });

      it('leaves what is above 16 MB for another one', async () => {
        const keys = Array.from({ length: 45 }, (_, index) => `item ${index}`);
        for (const sk of keys) await put(sk, { b: { B: bytes(400_000) } });
        const got: (string | undefined)[] = [];
        let [rest, rounds] = [keys, 0];
        while (rest.length > 0) {
          const { Responses, UnprocessedKeys } = await batchGet(rest);
          got.push(...keysOf(Responses?.[TableName]));
          rest = keysOf(UnprocessedKeys?.[TableName]?.Keys).map(sk => sk ?? '');
          rounds++;
        }
        expect(rounds).toBeGreaterThan(1);
        expect(got.sort()).toEqual(keys.sort());
      });
    });
  });
}
