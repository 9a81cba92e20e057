import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { loadSync } from '@grpc/proto-loader';
import { inBackground } from '@model-gateway/service-kit';
import { z } from 'zod';

const DEFINITIONS = new URL('../proto/otlp.proto', import.meta.url).pathname;

/** A whole number that was sent as a double stays apart from an integer. */
const double = z.number().transform((number) => (Number.isInteger(number) ? { double: number } : number));
const texts = z.object({ values: z.array(z.object({ stringValue: z.string() })).default([]) });
const value = z.object({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  intValue: z.string().transform(Number).optional(),
  doubleValue: double.optional(),
  arrayValue: texts.transform(({ values }) => values.map(({ stringValue }) => stringValue)).optional(),
});
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .default([])
  .transform((pairs) =>
    Object.fromEntries(
      pairs.map(({ key, value: each }) => [key, Object.values(each).find((v) => v !== undefined)]),
    ),
  );
const hex = z.instanceof(Buffer).transform((bytes) => bytes.toString('hex'));
const nanos = z.string().transform(BigInt);
const resource = z.object({ attributes });
const event = z.object({ name: z.string(), timeUnixNano: nanos, attributes });
const span = z.object({
  traceId: hex,
  spanId: hex,
  parentSpanId: hex.optional(),
  traceState: z.string().optional(),
  name: z.string(),
  kind: z.string(),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  flags: z.number(),
  attributes,
  events: z.array(event).default([]),
  links: z.array(z.object({ traceId: hex, spanId: hex })).default([]),
  status: z.object({ code: z.string(), message: z.string().optional() }).optional(),
});
const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource,
      scopeSpans: z.array(
        z.object({ scope: z.object({ name: z.string() }), schemaUrl: z.string(), spans: z.array(span) }),
      ),
    }),
  ),
});
const point = z.object({
  attributes,
  startTimeUnixNano: nanos,
  timeUnixNano: nanos,
  asDouble: z.number().optional(),
  count: z.string().transform(Number).optional(),
  sum: z.number().optional(),
  bucketCounts: z.array(z.string().transform(Number)).optional(),
  explicitBounds: z.array(z.number()).optional(),
});
const points = z.object({
  dataPoints: z.array(point),
  aggregationTemporality: z.string().optional(),
  isMonotonic: z.boolean().optional(),
});
const metric = z.object({
  name: z.string(),
  description: z.string().optional(),
  unit: z.string().optional(),
  gauge: points.optional(),
  sum: points.optional(),
  histogram: points.optional(),
});
const metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      resource,
      scopeMetrics: z.array(z.object({ metrics: z.array(metric), schemaUrl: z.string().optional() })),
    }),
  ),
});

export type ReceivedSpan = z.infer<typeof span> & {
  resource: z.infer<typeof attributes>;
  schemaUrl: string;
};
export type ReceivedMetric = z.infer<typeof metric> & { schemaUrl: string | undefined };

/** How the receiver replies: by default with 200 and an empty message. */
export interface OtlpReply {
  status?: number;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Never replies. */
  isSilent?: boolean;
}

/** A receiver of OTLP over HTTP. */
export interface OtlpReceiver extends AsyncDisposable {
  url: string;
  /** All spans that were accepted so far. */
  spans: ReceivedSpan[];
  metrics: ReceivedMetric[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Replies to the coming messages, one each. */
  script(...replies: OtlpReply[]): void;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const decode = decoders();
  const spans: ReceivedSpan[] = [];
  const found: ReceivedMetric[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const replies: OtlpReply[] = [];
  const receive = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    requests.push({ path: req.url ?? '', headers: req.headers });
    const { body = new Uint8Array(), headers = {}, isSilent, status = 200 } = replies.shift() ?? {};
    const bytes = await buffer(req);
    if (isSilent) return;
    const message = req.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    if (status === 200 && req.url?.endsWith('/v1/traces')) spans.push(...spansOf(decode.traces(message)));
    if (status === 200 && req.url?.endsWith('/v1/metrics')) found.push(...metricsOf(decode.metrics(message)));
    res.writeHead(status, { 'content-type': 'application/x-protobuf', ...headers });
    res.end(body);
  };
  const server = createServer((req, res) => inBackground(receive(req, res)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    metrics: found,
    requests,
    script: (...more) => void replies.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function decoders() {
  const collector = loadSync(DEFINITIONS, { longs: String, enums: String, oneofs: false, defaults: false })[
    'otlp.Collector'
  ];
  const decoderOf = (name: string) => {
    const method = collector !== undefined && name in collector ? Reflect.get(collector, name) : undefined;
    if (typeof method !== 'object' || !('requestDeserialize' in method)) throw new Error(`no ${name}`);
    return method.requestDeserialize;
  };
  return { traces: decoderOf('ExportTraces'), metrics: decoderOf('ExportMetrics') };
}

function spansOf(message: object): ReceivedSpan[] {
  return traces
    .parse(message)
    .resourceSpans.flatMap(({ resource: { attributes: source }, scopeSpans }) =>
      scopeSpans.flatMap((scope) =>
        scope.spans.map((each) => ({ ...each, resource: source, schemaUrl: scope.schemaUrl })),
      ),
    );
}

function metricsOf(message: object): ReceivedMetric[] {
  return metrics
    .parse(message)
    .resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics: found, schemaUrl }) => found.map((each) => ({ ...each, schemaUrl }))),
    );
}
