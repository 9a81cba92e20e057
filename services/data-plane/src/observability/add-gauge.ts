import { Gauge, type Registry } from '@model-gateway/service-kit';

/** Adds a gauge that is computed when metrics are collected. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
