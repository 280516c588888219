import type { ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import { partition } from '../keys.ts';
import type { DebtChange } from '../snapshots.ts';
import type { Cause, Debt } from '../state.ts';
import type { Database } from './database.ts';

export function readDebts({ sql }: Database, process: ProcessKey): Map<string, Debt> {
  const rows = sql.all`SELECT * FROM debt WHERE process = ${partition(process)} ORDER BY id`;
  return new Map(
    rows.map(row => [
      decodePart(row.id as string),
      {
        cause: row.cause as Cause,
        since: row.since as number,
        metAt: row.met_at as number,
        reason: row.reason as string,
        told: row.told === 1,
        revision: row.revision as number,
      },
    ]),
  );
}

/** True while the debt is as it was read. */
export function isAsRead({ sql }: Database, process: ProcessKey, { projectId, before }: DebtChange): boolean {
  const row = sql.get`SELECT revision FROM debt
    WHERE process = ${partition(process)} AND id = ${encodePart(projectId)}`;
  return row?.revision === before?.revision;
}

/** The revision is the row's number, which SQLite gives no second time. */
export function writeDebt({ sql }: Database, process: ProcessKey, { projectId, after }: DebtChange): void {
  const [pk, id] = [partition(process), encodePart(projectId)];
  sql.run`DELETE FROM debt WHERE process = ${pk} AND id = ${id}`;
  if (!after) return;
  const { cause, since, metAt, reason, told } = after;
  sql.run`INSERT INTO debt (process, id, cause, since, met_at, reason, told)
    VALUES (${pk}, ${id}, ${cause}, ${since}, ${metAt}, ${reason}, ${told ? 1 : 0})`;
}
