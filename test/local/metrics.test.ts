import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { Health } from '../../local/operate/health.ts';
import { Metrics } from '../../local/operate/metrics.ts';
import { readDocument } from '../kit/docs/documents.ts';

const AT = Date.parse('2026-11-28T08:00:00Z');
const AN_HOUR_AGO = '2026-11-28T07:00:00.000Z';
const PROCESS = { workspace: 'eu', processId: 'p' };

const SAMPLE = /^([a-z_]+)((?:\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\})?) (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** Reads Prometheus' text format by its grammar. @returns the values, by name and labels as written */
function parse(text: string): Map<string, number> {
  const values = new Map<string, number>();
  let type: { readonly name: string; readonly kind: string } | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    const [, name = '', kind = ''] = /^# TYPE ([a-z_]+) (gauge|counter|histogram)$/.exec(line) ?? [];
    if (kind) type = { name, kind };
    else if (!/^# HELP [a-z_]+ [A-Z][^\n]*\.$/.test(line)) {
      const sample = SAMPLE.exec(line);
      if (!sample) throw new Error(`not a sample: ${line}`);
      const [, full = '', labels = '', value] = sample;
      const own = type?.kind === 'histogram' ? full.replace(/_(bucket|sum|count)$/, '') : full;
      expect(own).toBe(type?.name);
      expect(values.has(full + labels)).toBe(false);
      values.set(full + labels, Number(value));
    }
  }
  expect(text.endsWith('\n')).toBe(true);
  return values;
}

const namesIn = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string);
const HEALTH: Health = {
  status: 'late',
  late: ['x'],
  processes: [
    { workspace: 'eu', process: 'p', baselined: true, skipped: 3, completedAt: '2026-11-28T08:00:01.500Z' },
    { workspace: 'eu', process: 'q', baselined: false, skipped: 0, onHoldSince: '2026-11-28T08:00:00.000Z' },
  ],
  endpoints: [
    { name: 'crm', undelivered: 5, since: AN_HOUR_AGO, dead: 2, failingSince: AN_HOUR_AGO },
    { name: 'off', undelivered: 0, dead: 0, stopped: 'answered 410' },
    { name: 'paused', undelivered: 0, dead: 0, pausedSince: AN_HOUR_AGO },
  ],
  unpublishedSince: '2026-11-28T07:59:00.000Z',
  disk: { free: 2e9, size: 4e10, data: 7e6 },
};

describe('metrics', () => {
  it('have the health of processes and endpoints', () => {
    const values = parse(new Metrics('1.2.3', () => AT).text(HEALTH));
    const eu = (process: string) => `{workspace="eu",process="${process}"}`;
    expect(Object.fromEntries(values)).toEqual({
      'changewire_info{version="1.2.3"}': 1,
      changewire_start_time_seconds: AT / 1000,
      changewire_healthy: 0,
      ...{ changewire_disk_free_bytes: 2e9, changewire_disk_size_bytes: 4e10, changewire_data_bytes: 7e6 },
      [`changewire_pass_completed_time_seconds${eu('p')}`]: AT / 1000 + 1.5,
      [`changewire_process_baselined${eu('p')}`]: 1,
      [`changewire_process_baselined${eu('q')}`]: 0,
      [`changewire_process_on_hold${eu('p')}`]: 0,
      [`changewire_process_on_hold${eu('q')}`]: 1,
      [`changewire_skipped_projects${eu('p')}`]: 3,
      [`changewire_skipped_projects${eu('q')}`]: 0,
      changewire_unpublished_since_time_seconds: AT / 1000 - 60,
      'changewire_endpoint_dead_letters{endpoint="crm"}': 2,
      'changewire_endpoint_dead_letters{endpoint="off"}': 0,
      'changewire_endpoint_dead_letters{endpoint="paused"}': 0,
      'changewire_endpoint_backlog{endpoint="crm"}': 5,
      'changewire_endpoint_backlog{endpoint="off"}': 0,
      'changewire_endpoint_backlog{endpoint="paused"}': 0,
      'changewire_endpoint_backlog_since_time_seconds{endpoint="crm"}': AT / 1000 - 3600,
      'changewire_endpoint_failing{endpoint="crm"}': 1,
      'changewire_endpoint_failing{endpoint="off"}': 0,
      'changewire_endpoint_failing{endpoint="paused"}': 0,
      'changewire_endpoint_stopped{endpoint="crm"}': 0,
      'changewire_endpoint_stopped{endpoint="off"}': 1,
      'changewire_endpoint_stopped{endpoint="paused"}': 1,
    });
  });

  it('count in histograms each value in every bucket that holds it', () => {
    const metrics = new Metrics('1.2.3', () => AT);
    for (const ms of [50, 51, 20_000]) metrics.attempted('crm', { isAccepted: ms < 1000, ms });
    metrics.count({ FirstAttemptLag: [1000, 2500], DeliveriesDead: 2, Delivered: 9 });
    const values = parse(metrics.text(undefined));
    const bucket = (le: string) =>
      values.get(`changewire_attempt_duration_seconds_bucket{endpoint="crm",le="${le}"}`);
    expect(['0.05', '0.1', '15', '+Inf'].map(bucket)).toEqual([1, 2, 2, 3]);
    expect(values.get('changewire_attempt_duration_seconds_sum{endpoint="crm"}')).toBeCloseTo(20.101);
    expect(values.get('changewire_attempt_duration_seconds_count{endpoint="crm"}')).toBe(3);
    expect(values.get('changewire_attempts_total{endpoint="crm",outcome="accepted"}')).toBe(2);
    expect(values.get('changewire_attempts_total{endpoint="crm",outcome="failed"}')).toBe(1);
    expect(values.get('changewire_first_attempt_lag_seconds_bucket{le="2"}')).toBe(1);
    expect(values.get('changewire_first_attempt_lag_seconds_count')).toBe(2);
    expect(values.get('changewire_dead_letters_total')).toBe(2);
  });

  it('have a place for every pass that ended, and keep hostile names within their quotes', () => {
    const metrics = new Metrics('1.2.3', () => AT);
    const hostile = 'a"} 1\n\\changewire_info{x="\ud800';
    metrics.passed({ workspace: hostile, processId: 'p' }, 'sweep', { error: new Error('x') });
    for (const outcome of ['completed', 'not-due'] as const)
      metrics.passed(PROCESS, 'changes', {
        report: { mode: 'changes', outcome, projects: 0, commits: 0, events: 0 },
      });
    const data = { process: { id: 'p' } };
    metrics.published({ source: '/workspaces/a%2Fb/processes/p', type: 'task.created', data } as ChangeEvent);
    const endpoints = [{ name: hostile, undelivered: 1, dead: 0 }];
    const values = parse(metrics.text({ ...HEALTH, endpoints }));
    const escaped = 'a\\"} 1\\n\\\\changewire_info{x=\\"\ufffd';
    expect(values.get(`changewire_endpoint_backlog{endpoint="${escaped}"}`)).toBe(1);
    const pass = (labels: string) => values.get(`changewire_passes_total{${labels}"}`);
    expect(pass(`workspace="${escaped}",process="p",mode="sweep",outcome="failed`)).toBe(1);
    expect(pass('workspace="eu",process="p",mode="changes",outcome="completed')).toBe(1);
    expect(pass('workspace="eu",process="p",mode="changes",outcome="not-due')).toBe(undefined);
    expect(values.get('changewire_events_total{workspace="a/b",process="p",type="task.created"}')).toBe(1);
  });

  it('are all in docs/metrics.md, and in no query of the dashboard that does not exist', () => {
    const series = namesIn(new Metrics('1.2.3', () => AT).text(undefined));
    const documented = [...readDocument('docs/metrics.md').matchAll(/^- `(changewire_\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(documented).toEqual(series);
    const dashboard = readDocument('docs/self-hosting/grafana.json');
    const queries = [...dashboard.matchAll(/"expr": "(.*)"/g)].map(([, query]) => query as string);
    const asked = queries.flatMap(query => query.match(/changewire_\w+/g) ?? []);
    const known = series.flatMap(name => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]);
    expect(queries.length).toBeGreaterThan(8);
    expect(asked.filter(name => !known.includes(name))).toEqual([]);
    const { panels } = JSON.parse(dashboard) as { panels: { title: string }[] };
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });
});
