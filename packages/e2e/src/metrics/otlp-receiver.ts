import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** 2: server; 3: client. */
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Attributes;
}

type Attributes = Readonly<Record<string, unknown>>;

export interface ReceivedPoint {
  readonly attributes: Attributes;
  /** Of a histogram: how many values there were. */
  readonly value: number;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly bounds: readonly number[];
  /** As of the last export. */
  readonly points: readonly ReceivedPoint[];
}

/** A collector that takes OTLP as JSON, and keeps what it gets. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: ReadonlyMap<string, ReceivedMetric>;
  /** Everything as it came. */
  readonly text: () => string;
  /** The outcome of an export: accepted, rejected with a status, or never answered. */
  behave: 'take' | 'hang' | number;
  stop(): Promise<void>;
}

interface AnyValue {
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
  readonly intValue?: string | number;
  readonly [kind: string]: unknown;
}

interface Attribute {
  readonly key: string;
  readonly value: AnyValue;
}

interface PointJson {
  readonly attributes?: readonly Attribute[];
  readonly asDouble?: number;
  readonly asInt?: string | number;
  readonly count?: string | number;
  readonly explicitBounds?: readonly number[];
}

type MetricJson = { readonly name: string; readonly unit?: string } & {
  readonly [K in ReceivedMetric['kind']]?: { readonly dataPoints: readonly PointJson[] };
};

interface SpanJson extends Omit<ReceivedSpan, 'attributes'> {
  readonly attributes: readonly Attribute[];
}

interface Received {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[] }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly MetricJson[] }[];
  }[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, ReceivedMetric>();
  let text = '';
  const take = (body: string): void => {
    text += body;
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as Received;
    for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))) {
      spans.push({ ...span, attributes: attributesOf(span.attributes) });
    }
    for (const { scopeMetrics } of resourceMetrics) {
      for (const metric of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.set(metric.name, metricOf(metric));
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (receiver.behave === 'hang') return;
      if (receiver.behave === 'take') take(Buffer.concat(chunks).toString());
      else response.statusCode = receiver.behave;
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    text: () => text,
    behave: 'take',
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}

function attributesOf(attributes: readonly Attribute[] = []): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ arrayValue, intValue, ...other }: AnyValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plainValue);
  return intValue === undefined ? Object.values(other)[0] : Number(intValue);
}

function metricOf(metric: MetricJson): ReceivedMetric {
  const kind = (['gauge', 'sum', 'histogram'] as const).find((each) => metric[each] !== undefined) ?? 'gauge';
  const points = metric[kind]?.dataPoints ?? [];
  return {
    name: metric.name,
    unit: metric.unit ?? '',
    kind,
    bounds: points[0]?.explicitBounds ?? [],
    points: points.map(({ attributes, asDouble, asInt, count }) => {
      return { attributes: attributesOf(attributes), value: asDouble ?? Number(asInt ?? count) };
    }),
  };
}
