import type { RowSource } from './panel.ts';

const REQUESTS = 'gateway_requests_total{route!="/health"}';

export const REQUEST_ROWS: readonly RowSource[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Requests',
        description: 'Answers by route, of all data planes together. Probes of load balancers are left out.',
        unit: 'reqps',
        queries: [[`sum by (route) (rate(${REQUESTS}[$__rate_interval]))`, '{{route}}']],
        stacked: true,
      },
      {
        title: 'Open requests',
        description: 'Authenticated requests under way, and the streams among them.',
        unit: 'short',
        queries: [
          ['sum(gateway_open_requests)', 'requests'],
          ['sum(gateway_open_streams)', 'streams'],
        ],
      },
      {
        title: 'Alerts that fire',
        description:
          'How many, by name; 0 while there is none. What each means: docs/operations.md, "Alerts".',
        unit: 'short',
        queries: [
          [
            'count by (alertname) (ALERTS{alertname=~"ModelGateway.+", alertstate="firing"}) or vector(0)',
            '{{alertname}}',
          ],
        ],
      },
      {
        title: 'Processes',
        description: 'How many of each service run, by release. Two releases of one service: an upgrade.',
        unit: 'short',
        queries: [['count by (service, version) (gateway_info)', '{{service}} {{version}}']],
      },
    ],
  },
  {
    title: 'Errors by cause',
    panels: [
      {
        title: 'Errors by cause',
        description:
          'Who can do something about it: the caller, whoever sets limits or fills pools, the provider, or ' +
          'whoever runs the gateway. Streams that broke off are among them.',
        unit: 'reqps',
        queries: [['gateway:errors:rate5m', '{{cause}}']],
        stacked: true,
      },
      {
        title: 'Share that fails by the fault of the gateway',
        description: 'Well below 1 %. ModelGatewayFailing fires above.',
        unit: 'percentunit',
        queries: [
          [
            'gateway:errors:rate5m{cause="gateway"} / ignoring (cause) gateway:requests:rate5m',
            'of requests',
          ],
        ],
      },
      {
        title: 'Error codes',
        description: 'The codes that callers were answered with (docs/errors.md, "Error codes").',
        unit: 'reqps',
        queries: [['sum by (code) (rate(gateway_requests_total{code!=""}[$__rate_interval]))', '{{code}}']],
      },
      {
        title: 'Callers that left before an answer',
        description: 'They gave up (499). Many of them: a provider is slower than they wait for.',
        unit: 'reqps',
        queries: [
          ['sum by (route) (rate(gateway_requests_total{status="499"}[$__rate_interval]))', '{{route}}'],
        ],
      },
    ],
  },
  {
    title: 'Added latency',
    panels: [
      {
        title: 'What the gateway adds',
        description:
          'Time in the gateway until the provider had answered, without what the provider took, as in ' +
          'x-gateway-overhead-ms. Slow uploads count. ModelGatewaySlow fires above 0.25 s.',
        unit: 's',
        queries: [
          ['gateway:overhead_seconds:p50_5m', 'half of the requests'],
          ['gateway:overhead_seconds:p99_5m', '99 of 100'],
        ],
      },
      {
        title: 'Duration of requests (99 of 100)',
        description: 'From the first to the last byte: mostly what the provider takes.',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (le, route) (rate(gateway_request_duration_seconds_bucket{route!="/health"}[$__rate_interval])))',
            '{{route}}',
          ],
        ],
      },
      {
        title: 'Time to the first event of a stream',
        description: 'By provider, from the arrival of the request: half of the streams, and 95 of 100.',
        unit: 's',
        queries: [0.5, 0.95].map((share) => [
          `histogram_quantile(${share}, sum by (le, provider) (rate(gateway_time_to_first_token_seconds_bucket{provider=~"$provider"}[$__rate_interval])))`,
          `{{provider}} ${share}`,
        ]),
      },
    ],
  },
];
