import { Counter, DURATION_BUCKETS, Gauge, Histogram, type Registry } from '@model-gateway/service-kit';

export type ControlPlaneMetrics = ReturnType<typeof createControlPlaneMetrics>;

export function createControlPlaneMetrics(registry: Registry, watchers: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'gateway_control_key_watchers',
    help: 'Data planes whose key watch is connected here.',
    registers,
    collect() {
      this.set(watchers());
    },
  });
  return {
    oldPepperKeys: new Gauge({
      name: 'gateway_control_old_pepper_keys',
      help: 'Active keys still hashed with the previous pepper; 0 while no pepper is being replaced.',
      registers,
    }),
    calls: new Counter({
      name: 'gateway_control_calls_total',
      help: 'Unary calls by method and gRPC status.',
      labelNames: ['method', 'status'] as const,
      registers,
    }),
    callDuration: new Histogram({
      name: 'gateway_control_call_duration_seconds',
      help: 'Duration of unary calls; RevokeKey includes the wait for data planes.',
      labelNames: ['method'] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
  };
}
