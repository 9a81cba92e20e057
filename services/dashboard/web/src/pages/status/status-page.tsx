import { Alert, Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconClockExclamation } from '@tabler/icons-react';
import type { StatusResponse } from '../../../../wire/status.ts';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatDateTime, formatRelative } from '../../format/format-time.ts';
import { ModelFigures } from './model-figures.tsx';
import classes from './status.module.css';
import { StatusMark } from './status-mark.tsx';
import { useStatus } from './use-status.ts';

/** Shows the state of the gateway, its providers and its models; public. */
export function StatusPage() {
  const { status, isStale, nowMs } = useStatus();
  const response = status.data;
  return (
    <>
      <PageHeader
        title="Status"
        description="The state of the gateway and its models, refreshed every 5 seconds."
      />
      <Stack gap="md">
        <QueryState query={status} loading="Reading the status" />
        {response !== undefined && (
          <>
            {isStale && (
              <Alert
                color="yellow"
                icon={<IconClockExclamation aria-hidden />}
                title="This may be out of date"
                role="status"
              >
                The status service does not respond. This is the status of {formatDateTime(response.readAtMs)}
                , {formatRelative(response.readAtMs, nowMs)}.
              </Alert>
            )}
            <Overall summary={response.status} isStale={isStale} />
            <Panel title="Components">
              <ul className={`plain-list ${classes.components}`}>
                {response.status.components.map(({ id, name, state, configuration, sentence }) => (
                  <li key={id} className={classes.component}>
                    <div>
                      <Text size="sm" fw={500}>
                        {name}
                      </Text>
                      {sentence !== null && (
                        <Text size="xs" c="dimmed">
                          {sentence}
                        </Text>
                      )}
                    </div>
                    <StatusMark state={state} configuration={configuration} />
                  </li>
                ))}
              </ul>
            </Panel>
            <Panel
              title="Models"
              description={
                'Success is the share of responses that did not fail. Errors, latency, time to first token ' +
                'and requests are from the last 5 minutes.'
              }
            >
              <Models models={response.models} />
            </Panel>
          </>
        )}
      </Stack>
    </>
  );
}

function Models({ models }: Pick<StatusResponse, 'models'>) {
  if (models === null || models.data.length === 0) {
    return <Hint>There are no models yet. They show here once the operator has applied a catalog.</Hint>;
  }
  return <ModelFigures models={models.data} />;
}

type Summary = StatusResponse['status'];

const COLORS: Record<Summary['status']['indicator'], string> = {
  none: 'green',
  minor: 'yellow',
  major: 'orange',
  critical: 'red',
};

function Overall({ summary, isStale }: { summary: Summary; isStale: boolean }) {
  const { status } = summary;
  const isFine = status.indicator === 'none';
  // Without traffic, "no known problem" is not a reason to show green.
  const isKnown = !isFine || isKnownToWork(summary);
  return (
    <Paper withBorder p="lg" className={classes.overall}>
      <ThemeIcon
        size={48}
        radius="xl"
        variant="light"
        color={isStale || !isKnown ? 'gray' : COLORS[status.indicator]}
        aria-hidden
      >
        {isFine ? <IconCheck size={26} /> : <IconAlertTriangle size={26} />}
      </ThemeIcon>
      {/* Screen readers read this when it changes, not at every update. */}
      <div role="status">
        <Text fz="xl" fw={700}>
          {isKnown ? status.description : 'No traffic'}
        </Text>
        <Text size="sm">{status.sentence}</Text>
        <Hint>{isStale ? 'When it was last read' : 'Right now'}</Hint>
      </div>
    </Paper>
  );
}

/** Returns true if a provider is known to work, or if there are no providers. */
function isKnownToWork({ components }: Summary): boolean {
  const providers = components.filter(({ id }) => id.startsWith('provider:'));
  return providers.length === 0 || providers.some(({ state }) => state === 'operational');
}
