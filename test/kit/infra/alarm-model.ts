/** A model of CloudWatch, as far as the alarms of this stack need it: computes an alarm's states from its
 *  definition in the template and from data. After AWS's "Using Amazon CloudWatch alarms" and "Using
 *  metric math". */

/** A value that is written in minute `minute` of a simulated hour. */
export interface Datum {
  readonly metric: string;
  /** The queue or function that it is about; undefined: a metric of Changewire itself. */
  readonly of?: string | undefined;
  readonly minute: number;
  readonly value: number;
}

export type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

interface MetricOf {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData: boolean;
  readonly MetricStat?: { readonly Metric: MetricOf; readonly Period: number; readonly Stat: string };
}

/** An alarm's properties in a template. */
export interface AlarmDefinition extends Partial<MetricOf> {
  readonly AlarmName: string;
  readonly Period?: number;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Metrics?: readonly Query[];
  readonly Threshold: number;
  readonly ComparisonOperator: 'GreaterThanOrEqualToThreshold';
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: 'notBreaching' | 'ignore';
}

/** A value for each period that has one, oldest first. */
type Series = readonly (number | undefined)[];

/** The states of an alarm, minute by minute, from its creation in minute 0 on. There is no earlier data. */
export function statesOf(alarm: AlarmDefinition, data: readonly Datum[], minutes: number): State[] {
  const states: State[] = [];
  const written = byMetric(data);
  for (let minute = 1; minute <= minutes; minute += 1)
    states.push(stateAt(alarm, written, minute, states.at(-1) ?? 'INSUFFICIENT_DATA'));
  return states;
}

/** The values of a metric, by minute. */
type Written = (metric: MetricOf) => ReadonlyMap<number, readonly number[]>;

function byMetric(data: readonly Datum[]): Written {
  const known = new Map<string, Map<number, number[]>>();
  return metric => {
    const key = JSON.stringify([metric.MetricName, metric.Dimensions]);
    const found = known.get(key);
    if (found) return found;
    const own = data.filter(each => isOf(each, metric));
    const made = Map.groupBy(own, ({ minute }) => minute);
    const values = new Map([...made].map(([minute, all]) => [minute, all.map(({ value }) => value)]));
    known.set(key, values);
    return values;
  };
}

/** The state after `minute` minutes, from the periods that have ended by then. */
function stateAt(alarm: AlarmDefinition, written: Written, minute: number, before: State): State {
  const { EvaluationPeriods: range, DatapointsToAlarm: needed, TreatMissingData: missing } = alarm;
  const points = seriesOf(alarm, written, { minute, range });
  const real = points.filter(each => each !== undefined);
  const bad = real.filter(value => value >= alarm.Threshold).length;
  if (bad >= needed) return 'ALARM';
  // OK also when so many periods are good that there is no room for enough bad ones.
  return missing === 'notBreaching' || real.length - bad > range - needed ? 'OK' : before;
}

interface Stretch {
  readonly minute: number;
  readonly range: number;
}

function seriesOf(alarm: AlarmDefinition, written: Written, stretch: Stretch): Series {
  const { Metrics, MetricName, Namespace, Dimensions, Period, Statistic, ExtendedStatistic } = alarm;
  if (!Metrics) {
    const Metric = { MetricName, Namespace, Dimensions } as MetricOf;
    const Stat = Statistic ?? ExtendedStatistic ?? '';
    return statistic({ Metric, Stat, Period: Period ?? 0 }, written, stretch);
  }
  const known = new Map(
    Metrics.flatMap(({ Id, MetricStat }) =>
      MetricStat ? [[Id, statistic(MetricStat, written, stretch)]] : [],
    ),
  );
  const returned = Metrics.filter(each => each.ReturnData);
  const [only] = returned;
  if (returned.length !== 1 || !only)
    throw new Error(`${alarm.AlarmName} returns ${returned.length} series.`);
  return only.Expression === undefined ? (known.get(only.Id) ?? []) : calculated(only.Expression, known);
}

/** One value for each period that has ended by then. */
function statistic(
  { Metric, Period, Stat }: NonNullable<Query['MetricStat']>,
  written: Written,
  { minute, range }: Stretch,
): Series {
  const long = Period / 60;
  const byMinute = written(Metric);
  const end = Math.floor(minute / long) * long;
  return Array.from({ length: range }, (_, index) => {
    const from = end - (range - index) * long;
    const ended = Array.from({ length: long }, (_, each) => from + each);
    const values = ended.flatMap(each => byMinute.get(each) ?? []);
    return values.length === 0 ? undefined : aggregated(Stat, values);
  });
}

function isOf({ metric, of }: Datum, { Namespace, MetricName, Dimensions }: MetricOf): boolean {
  if (metric !== MetricName) return false;
  const dimensions = JSON.stringify(Dimensions);
  if (of === undefined)
    return Namespace === 'Changewire' && dimensions === '[{"Name":"service","Value":"Changewire"}]';
  return new RegExp(`"(Queues)?${of}(Function)?[0-9A-F]{8}"`).test(dimensions);
}

function aggregated(stat: string, values: readonly number[]): number {
  if (stat === 'Sum') return values.reduce((sum, value) => sum + value);
  if (stat === 'Maximum') return Math.max(...values);
  if (stat === 'SampleCount') return values.length;
  throw new Error(`The model knows no statistic ${stat}.`);
}

/** `SUM([a, b])` and `MAX([a, b])` skip series without a value; a difference has one where both have. */
function calculated(expression: string, known: ReadonlyMap<string, Series>): Series {
  const [, minuend, subtrahend] = /^(.+) - (.+)$/.exec(expression) ?? [];
  if (minuend !== undefined && subtrahend !== undefined) {
    const less = calculated(subtrahend, known);
    return calculated(minuend, known).map((value, index) => difference(value, less[index]));
  }
  const [, id = '', filling] = /^FILL\((\w+), (0|REPEAT)\)$/.exec(expression) ?? [];
  if (filling !== undefined) return filled(named(id, known), filling === '0' ? 0 : undefined);
  const [, name, ids = ''] = /^(SUM|MAX)\(\[([\w, ]+)\]\)$/.exec(expression) ?? [];
  if (name === undefined) throw new Error(`The model does not know ${expression}.`);
  const all = ids.split(', ').map(each => named(each, known));
  return (all[0] ?? []).map((_, index) => {
    const values = all.map(series => series[index]).filter(value => value !== undefined);
    if (values.length === 0) return undefined;
    return name === 'SUM' ? values.reduce((sum, value) => sum + value) : Math.max(...values);
  });
}

function named(id: string, known: ReadonlyMap<string, Series>): Series {
  const series = known.get(id);
  if (!series) throw new Error(`No metric is called ${id}.`);
  return series;
}

function difference(value: number | undefined, less: number | undefined): number | undefined {
  return value === undefined || less === undefined ? undefined : value - less;
}

/** Fills gaps with this value, or by default with the value before, if any. A series without any data
 *  stays empty. */
function filled(series: Series, by: number | undefined): Series {
  if (series.every(value => value === undefined)) return series;
  return series.map(
    (value, index) => value ?? by ?? series.slice(0, index).findLast(each => each !== undefined),
  );
}
