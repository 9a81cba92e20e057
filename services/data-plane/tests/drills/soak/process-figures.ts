import type { ServiceProcess } from '../outage-money-process.ts';

/** Resources of a service process at one moment. */
export interface ProcessFigures {
  /** Resident memory, in MiB. */
  rssMiB: number;
  /** Live bytes of the JavaScript heap after its last collection, in MiB. */
  heapMiB: number;
  timers: number;
  sockets: number;
  descriptors: number;
}

const MIB = 1024 * 1024;

/** Reads the process' own metrics. @throws when it does not answer */
export async function readFigures({ internalPort }: ServiceProcess): Promise<ProcessFigures> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
  const text = await response.text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  const resource = (type: string) => metric(`nodejs_active_resources\\{type="${type}"\\}`);
  return {
    rssMiB: Math.round(metric('process_resident_memory_bytes') / MIB),
    heapMiB: Math.round(metric('nodejs_heap_size_used_bytes') / MIB),
    timers: resource('Timeout'),
    sockets: resource('TCPSocketWrap'),
    descriptors: metric('process_open_fds'),
  };
}

/** Returns how long the oldest ended request of a data plane has waited for its commit. */
export async function settlementLagMs({ internalPort }: ServiceProcess): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
  return 1_000 * Number(/^gateway_settlement_lag_seconds (\S+)$/m.exec(await response.text())?.[1]);
}
