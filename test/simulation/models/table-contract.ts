import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  paginateScan,
  QueryCommand,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
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
    const put = (sk: string, attributes: Values = {}, more: object = {}) =>
      table.client.send(new PutItemCommand({ TableName, Item: { ...key(sk), ...attributes }, ...more }));
    const update = (sk: string, UpdateExpression: string, more: object = {}) =>
      table.client.send(new UpdateItemCommand({ TableName, Key: key(sk), UpdateExpression, ...more }));
    const remove = (sk: string, ConditionExpression?: string) =>
      table.client.send(new DeleteItemCommand({ TableName, Key: key(sk), ConditionExpression }));
    const transact = (...TransactItems: TransactWriteItem[]) =>
      table.client.send(new TransactWriteItemsCommand({ TransactItems }));
    const putting = (sk: string, attributes: Values = {}, ConditionExpression?: string) => ({
      Put: { TableName, Item: { ...key(sk), ...attributes }, ConditionExpression },
    });
    const deleting = (sk: string, ConditionExpression?: string) => ({
      Delete: { TableName, Key: key(sk), ConditionExpression },
    });
    const updating = (
      sk: string,
      UpdateExpression: string,
      ExpressionAttributeValues: Values,
      ConditionExpression?: string,
    ) => ({
      Update: { TableName, Key: key(sk), UpdateExpression, ExpressionAttributeValues, ConditionExpression },
    });
    const get = async (sk: string) => {
      const command = new GetItemCommand({ TableName, Key: key(sk), ConsistentRead: true });
      return (await table.client.send(command)).Item;
    };
    const queryInput = (more: object = {}, values: Values = {}) => ({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk }, ...values },
      ConsistentRead: true,
      ...more,
    });
    const query = (more: object = {}, values: Values = {}) =>
      table.client.send(new QueryCommand(queryInput(more, values)));
    const keysOf = (items: Values[] = []) => items.map(item => item.sk?.S);
    const found = async (more: object = {}, values: Values = {}) => keysOf((await query(more, values)).Items);
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
          count: { N: '1780000000000.25' },
          nested: { M: { a: { S: 'x' }, n: { N: '1' } } },
        };
        await put('a', attributes);
        expect(await get('a')).toEqual({ ...key('a'), ...attributes });
        expect(await get('b')).toBeUndefined();
      });

      it('replaces the whole item, or deletes it, even if it is not there', async () => {
        await put('a', { x: { S: '1' } });
        const { Attributes } = await put('a', { y: { S: '2' } }, { ReturnValues: 'ALL_OLD' });
        expect(Attributes).toEqual({ ...key('a'), x: { S: '1' } });
        expect(await get('a')).toEqual({ ...key('a'), y: { S: '2' } });
        await remove('a');
        await remove('a');
        expect(await get('a')).toBeUndefined();
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
        expect(await get('a')).toMatchObject({ x: { S: '1' }, deep: { M: { y: { S: '1' } } } });
      });
    });

    describe('the stream', () => {
      it('tells inserts, changes and removals, each with the new image', async () => {
        const blob = { B: new Uint8Array([1, 2, 250]) };
        await put('a', { blob, n: { N: '1' } });
        await update('a', 'SET n = :n', { ExpressionAttributeValues: { ':n': { N: '2' } } });
        await put('a', { blob });
        await remove('a');
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
    });

    describe('a condition', () => {
      beforeEach(() => put('a', { n: { N: '5' }, s: { S: 'Acme' }, yes: { BOOL: true } }));

      const values: Values = {
        ':four': { N: '4' },
        ':five': { N: '5' },
        ':acme': { S: 'Acme' },
        ':yes': { BOOL: true },
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
        ['attribute_exists(nope)', false],
        ['attribute_not_exists(n)', false],
        ['attribute_not_exists(nope)', true],
        ['n = :five', true],
        ['n = :four', false],
        ['n > :four', true],
        ['n > :five', false],
        ['n < :five', false],
        ['n >= :five', true],
        ['n <= :five', true],
        ['n <= :four', false],
        ['s = :acme', true],
        ['yes = :yes', true],
        // A missing attribute, or one of another type, is not equal to any value, and neither smaller nor
        // larger.
        ['nope = :five', false],
        ['nope < :five', false],
        ['nope >= :five', false],
        ['s = :five', false],
        ['s < :five', false],
        ['s > :five', false],
        ['n = :four AND n = :four OR n = :five', true],
        ['n = :five OR n = :four AND n = :four', true],
        ['(n = :five OR n = :four) AND n = :four', false],
        ['s = :acme OR (attribute_not_exists(s) AND attribute_not_exists(n))', true],
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
    });

    describe('an update', () => {
      const one: Values = { ':one': { N: '1' } };

      it('sets, adds and removes', async () => {
        await put('a', { n: { N: '5' }, text: { S: 'x' }, gone: { S: 'y' } });
        await update('a', 'SET n = n + :one, x = :one REMOVE gone, #w', {
          ExpressionAttributeValues: one,
          ExpressionAttributeNames: { '#w': 'window' },
        });
        expect(await get('a')).toEqual({
          ...key('a'),
          n: { N: '6' },
          x: { N: '1' },
          text: { S: 'x' },
        });
      });

      it('makes the item that is not there, also when it only removes', async () => {
        await update('a', 'SET n = :one', { ExpressionAttributeValues: one });
        await update('b', 'REMOVE n');
        expect(await get('a')).toEqual({ ...key('a'), n: { N: '1' } });
        expect(await get('b')).toEqual(key('b'));
      });

      it('returns what was asked for', async () => {
        await put('a', { n: { N: '1' }, x: { S: 'x' } });
        const more = (ReturnValues: string) => ({ ExpressionAttributeValues: one, ReturnValues });
        const updated = await update('a', 'SET n = n + :one REMOVE x, y', more('UPDATED_OLD'));
        expect(updated.Attributes).toEqual({ n: { N: '1' }, x: { S: 'x' } });
        const all = await update('a', 'SET n = :one', more('ALL_OLD'));
        expect(all.Attributes).toEqual({ ...key('a'), n: { N: '2' } });
        expect((await update('made', 'SET n = :one', more('UPDATED_OLD'))).Attributes).toBeUndefined();
      });

      it.each<[string, object, RegExp]>([
        [
          'a value that is not used',
          { UpdateExpression: 'REMOVE n' },
          /unused in expressions: keys: \{:one\}/,
        ],
        ['a value that is not given', { UpdateExpression: 'SET n = :one, x = :x' }, /not defined.*:x/],
        ['a name that is not given', { UpdateExpression: 'SET #n = :one' }, /not defined.*#n/],
        ['no values', { UpdateExpression: 'REMOVE n', ExpressionAttributeValues: {} }, /must not be empty/],
        ['an empty expression', { UpdateExpression: '' }, /The expression can not be empty/],
        ['a reserved word', { UpdateExpression: 'SET Window = :one' }, /reserved keyword: Window/],
        [
          'a number that is not there',
          { UpdateExpression: 'SET n = n + :one' },
          /attribute that does not exist/,
        ],
        ['its own key', { UpdateExpression: 'SET n = :one, sk = :one' }, /Cannot update/],
        ['one attribute twice', { UpdateExpression: 'SET n = :one REMOVE n' }, /Two document paths overlap/],
        [
          'two parentheses for one',
          { UpdateExpression: 'SET n = :one', ConditionExpression: '((attribute_exists(a)))' },
          /redundant parentheses/,
        ],
      ])('with %s is refused', async (_, more, message) => {
        const input = { TableName, Key: key('a'), ExpressionAttributeValues: one, ...more };
        await expect(table.client.send(new UpdateItemCommand(input))).rejects.toMatchObject({
          ...invalid,
          message: expect.stringMatching(message),
        });
        expect(await get('a')).toBeUndefined();
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

      it('finds the sort keys with a prefix', async () => {
        await fill();
        const KeyConditionExpression = 'pk = :pk AND begins_with(sk, :sk)';
        expect(await found({ KeyConditionExpression }, { ':sk': { S: 'a#1' } })).toEqual(['a#1', 'a#10']);
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

      it.each<[string, object]>([
        ['a filter on its key', { FilterExpression: 'attribute_exists(sk)' }],
        ['one attribute twice', { ProjectionExpression: 'sk, sk' }],
      ])('for %s is refused', async (_, more) => {
        await expect(query(more)).rejects.toMatchObject(invalid);
      });
    });

    describe('a scan', () => {
      const scanned = (more: object = {}) => ({
        TableName,
        ConsistentRead: true,
        ...more,
      });
      const all = async (more: object = {}, pageSize?: number) => {
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
        await Promise.all(keys.map(sk => put(sk, { b: { B: bytes(400_000) } })));
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
