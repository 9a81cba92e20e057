import type { RowSource } from './panel.ts';

export const PLANE_ROWS: readonly RowSource[] = [
  {
    title: 'Limits',
    panels: [
      {
        title: 'Decisions of the limits',
        description: 'Admitted, or refused by the limit of the key, the team, the address or the streams.',
        unit: 'ops',
        queries: [['sum by (outcome) (rate(gateway_admissions_total[$__rate_interval]))', '{{outcome}}']],
        stacked: true,
      },
      {
        title: 'Processes that count limits in memory',
        description: '0. Otherwise Redis does not answer them, and each counts its share by itself.',
        unit: 'short',
        queries: [['sum by (job) (gateway_limiter_fallback)', '{{job}}']],
      },
      {
        title: 'Calls to Redis that failed',
        description: 'Memory decided instead. A few: a restart or a failover of Redis.',
        unit: 'ops',
        queries: [['sum by (job) (rate(gateway_limiter_redis_failures_total[$__rate_interval]))', '{{job}}']],
      },
    ],
  },
  {
    title: 'Settlement',
    panels: [
      {
        title: 'Ended requests that are not charged yet',
        description: 'Those that no control plane has acknowledged. It falls back towards 0 all the time.',
        unit: 'short',
        queries: [['sum(gateway_settlement_pending_records)', 'requests']],
      },
      {
        title: 'Settlement lag',
        description: 'Age of the oldest of them: below a second. ModelGatewaySettlementBehind fires at 60 s.',
        unit: 's',
        queries: [['max(gateway_settlement_lag_seconds)', 'oldest']],
      },
      {
        title: 'Ended requests that were never charged',
        description: 'In the last hour, by reason: 0.',
        unit: 'short',
        queries: [['sum by (reason) (increase(gateway_settlement_records_lost_total[1h]))', '{{reason}}']],
      },
    ],
  },
  {
    title: 'Allowances',
    panels: [
      {
        title: 'Money set aside for data planes',
        description:
          'Reserved for requests that run, and spare for the next ones. It is in no pool meanwhile; what is ' +
          'spare comes back within a minute after the last request of its payer.',
        unit: 'currencyUSD',
        queries: [['sum by (state) (gateway_allowance_usd)', '{{state}}']],
        stacked: true,
      },
      {
        title: 'Payers, and requests that wait for money',
        description: 'Requests wait for as long as a call to the control plane takes.',
        unit: 'short',
        queries: [
          ['sum(gateway_allowance_payers)', 'payers'],
          ['sum(gateway_allowance_waiting_requests)', 'requests that wait'],
        ],
      },
      {
        title: 'Calls about money',
        description: 'To the control plane, by outcome. Requests that got none are answered 503.',
        unit: 'ops',
        queries: [
          [
            'sum by (call, outcome) (rate(gateway_allowance_calls_total[$__rate_interval]))',
            '{{call}} {{outcome}}',
          ],
        ],
      },
    ],
  },
  {
    title: 'Watches and keys',
    panels: [
      {
        title: 'Key watch lag',
        description:
          'Time since a data plane was last sure to know every revocation: below 2 s. Above 3 s it asks for ' +
          'every key; ModelGatewayControlPlaneNotHeard fires at 60 s.',
        unit: 's',
        queries: [['max by (instance) (gateway_key_watch_lag_seconds)', '{{instance}}']],
      },
      {
        title: 'The catalog is heard of',
        description: '1 while a process hears the control plane on the stream of the catalog.',
        unit: 'short',
        queries: [['min by (instance) (gateway_catalog_watch_live)', '{{instance}}']],
      },
      {
        title: 'Data planes of each control plane',
        description: 'Their sum is the number of data planes.',
        unit: 'short',
        queries: [['sum by (instance) (gateway_control_key_watchers)', '{{instance}}']],
        stacked: true,
      },
      {
        title: 'Key checks',
        description: 'Hits need no call to the control plane; nearly all are hits.',
        unit: 'ops',
        queries: [['sum by (result) (rate(gateway_key_lookups_total[$__rate_interval]))', '{{result}}']],
        stacked: true,
      },
    ],
  },
];
