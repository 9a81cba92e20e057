import type { RowSource } from './panel.ts';

const CHOSEN = 'provider=~"$provider"';

export const PROVIDER_ROWS: readonly RowSource[] = [
  {
    title: 'Providers',
    panels: [
      {
        title: 'Attempts',
        description:
          'By how they ended: completed; rejected, as a fault of the request; failed; cut or client_gone, ' +
          'where the provider has no part in it.',
        unit: 'ops',
        queries: [
          [
            `sum by (provider, outcome) (rate(gateway_upstream_attempts_total{${CHOSEN}}[$__rate_interval]))`,
            '{{provider}} {{outcome}}',
          ],
        ],
      },
      {
        title: 'Share of attempts that fail',
        description: 'ModelGatewayProviderFailing fires above 50 %.',
        unit: 'percentunit',
        queries: [[`gateway:provider_failures:ratio5m{${CHOSEN}}`, '{{provider}}']],
      },
      {
        title: 'What attempts fail with',
        description:
          'upstream_rate_limited: a limit of the provider. credential: it refuses the credential, or that ' +
          'could not be fetched. The others are error codes of the answer.',
        unit: 'ops',
        queries: [
          [
            `sum by (provider, cause) (rate(gateway_upstream_attempts_total{outcome="failed", ${CHOSEN}}[$__rate_interval]))`,
            '{{provider}} {{cause}}',
          ],
        ],
      },
      {
        title: 'Breakers',
        description:
          'How many data planes have shut the provider out because it fails. Each asks it again once in 5 s.',
        unit: 'short',
        queries: [[`sum by (provider) (gateway_provider_breaker_open{${CHOSEN}})`, '{{provider}}']],
      },
      {
        title: 'Credentials',
        description:
          'Of one data plane at most: usable; limited or refused by the provider, which rest; missing, ' +
          'where its variable is not set. Only one of several can rest.',
        unit: 'short',
        queries: [
          [`max by (provider, state) (gateway_provider_credentials{${CHOSEN}})`, '{{provider}} {{state}}'],
        ],
      },
      {
        title: 'Calls that wait',
        description: 'They have got nothing from the provider yet that could be passed on.',
        unit: 'short',
        queries: [[`sum by (provider, model) (gateway_waiting_calls{${CHOSEN}})`, '{{provider}} {{model}}']],
      },
      {
        title: 'The call that waits the longest',
        description: 'A provider that hangs is seen here before its time-out.',
        unit: 's',
        queries: [
          [
            `max by (provider, model) (gateway_longest_waiting_call_seconds{${CHOSEN}})`,
            '{{provider}} {{model}}',
          ],
        ],
      },
    ],
  },
  {
    title: 'Money',
    panels: [
      {
        title: 'Charged in an hour',
        description: 'What requests cost their payers, at the pace of the last five minutes, by provider.',
        unit: 'currencyUSD',
        queries: [[`gateway:cost_usd:per_hour{${CHOSEN}}`, '{{provider}}']],
        stacked: true,
      },
      {
        title: 'Tokens',
        description: 'By kind; cached_input is a part of input, and reasoning one of output.',
        unit: 'ops',
        queries: [[`sum by (kind) (rate(gateway_tokens_total{${CHOSEN}}[$__rate_interval]))`, '{{kind}}']],
      },
      {
        title: 'Units without a price',
        description:
          'What providers have reported in the last hour and the catalog has no price for. Empty is well; else ' +
          'add the price.',
        unit: 'short',
        queries: [
          ['sum by (model, unit) (increase(gateway_unpriced_units_total[1h]))', '{{model}} {{unit}}'],
        ],
      },
    ],
  },
];
