import { randomBytes } from 'node:crypto';
import type { PlainCatalogInput } from '@model-gateway/shared';
import {
  type GatewayOptions,
  type SharedGateway,
  simulatedCatalog,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import type { OtlpReceiver, ReceivedSpan } from '@model-gateway/test-kit/otlp-receiver';
import { withoutBreakers } from '../providers/without-breakers.ts';

/** Spans go out at once, and nothing is slow. */
const QUICK = {
  OTEL_BSP_SCHEDULE_DELAY: '5',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
  OTEL_SLOW_REQUEST_MS: '0',
};

/** The context of a caller. */
export function caller(isSampled = true) {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return { traceId, spanId, headers: { traceparent, tracestate: 'vendor=1' } };
}

/** The paid chat model falls back to another one. The service of a guardrail is not there. */
function document(baseUrl: string): PlainCatalogInput {
  const simulated = simulatedCatalog(baseUrl);
  return {
    ...simulated,
    guardrails: [{ id: 'absent', kind: 'http', url: 'http://127.0.0.1:9' }],
    models: simulated.models.flatMap((model) =>
      model.id === 'sim/chat-pro'
        ? [
            { ...model, fallbacks: ['sim/spare'] },
            { ...model, id: 'sim/spare', upstreams: [{ provider: 'sim', model: 'sim-chat-free' }] },
            { ...model, id: 'sim/guarded', guardrails: ['absent'] },
          ]
        : [model],
    ),
  };
}

/** A gateway whose data plane and control plane export to a receiver. */
export function withTracedGateway(
  receiver: Pick<OtlpReceiver, 'url'>,
  environment: Record<string, string> = {},
  options: GatewayOptions | (() => GatewayOptions) = {},
): SharedGateway {
  return withGateway(() => {
    const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...QUICK, ...environment };
    return {
      document,
      overrides: withoutBreakers(),
      environment: telemetry,
      controlPlaneEnvironment: telemetry,
      ...(typeof options === 'function' ? options() : options),
    };
  });
}

/** Waits until a trace has so many spans of these names. */
export async function traceOf(
  receiver: Pick<OtlpReceiver, 'spans'>,
  traceId: string,
  isWhole: (spans: readonly ReceivedSpan[]) => boolean,
): Promise<ReceivedSpan[]> {
  const spans = () => receiver.spans.filter((span) => span.traceId === traceId);
  await until(() => isWhole(spans()));
  return spans().sort((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano));
}

export const named = (spans: readonly ReceivedSpan[], name: string) =>
  spans.filter((span) => span.name === name);
