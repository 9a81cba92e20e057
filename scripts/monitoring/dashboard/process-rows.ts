import type { RowSource } from './panel.ts';

/** Selects our processes: every program has metrics of these names. */
const ofOurs = (metric: string) =>
  `max by (service, instance) (${metric} * on (job, instance) group_left (service) gateway_info)`;

export const PROCESS_ROWS: readonly RowSource[] = [
  {
    title: 'Processes',
    panels: [
      {
        title: 'Processor time',
        description: 'Of one core. A data plane above 80 % needs another one beside it.',
        unit: 'percentunit',
        queries: [[ofOurs('rate(process_cpu_seconds_total[$__rate_interval])'), '{{service}} {{instance}}']],
      },
      {
        title: 'Memory',
        description: 'Resident. The memory limit of a container must be above it.',
        unit: 'bytes',
        queries: [[ofOurs('process_resident_memory_bytes'), '{{service}} {{instance}}']],
      },
      {
        title: 'Event loop lag (99 of 100)',
        description: 'How late a process gets to its work: below 50 ms. Above, it has too much of it.',
        unit: 's',
        queries: [[ofOurs('nodejs_eventloop_lag_p99_seconds'), '{{service}} {{instance}}']],
      },
      {
        title: 'Memory of bodies and answers',
        description: 'What data planes have lent to requests, all together.',
        unit: 'bytes',
        queries: [
          ['sum(gateway_body_bytes)', 'bodies of requests'],
          ['sum(gateway_answer_bytes)', 'answers that are read whole'],
        ],
      },
      {
        title: 'Requests that wait for memory',
        description:
          '0. Otherwise data planes have less memory than the requests need: more of them, or more memory.',
        unit: 'short',
        queries: [
          ['sum(gateway_waiting_bodies)', 'bodies of requests'],
          ['sum(gateway_waiting_answers)', 'answers that are read whole'],
        ],
      },
      {
        title: 'Calls to the control planes',
        description: 'By gRPC status. UNAVAILABLE, DEADLINE_EXCEEDED and INTERNAL: look at Postgres.',
        unit: 'ops',
        queries: [['sum by (status) (rate(gateway_control_calls_total[$__rate_interval]))', '{{status}}']],
        stacked: true,
      },
      {
        title: 'Duration of calls to the control planes (99 of 100)',
        description: 'By method. RevokeKey includes the wait for every data plane.',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (le, method) (rate(gateway_control_call_duration_seconds_bucket[$__rate_interval])))',
            '{{method}}',
          ],
        ],
      },
    ],
  },
];
