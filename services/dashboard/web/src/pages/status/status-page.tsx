import { Alert, Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconClockExclamation } from '@tabler/icons-react';
import type { StatusResponse } from '../../../../wire/status.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDateTime, formatRelative } from '../../format/format-time.ts';
import { ModelFigures } from './model-figures.tsx';
import classes from './status.module.css';
import { StatusMark } from './status-mark.tsx';
import { useStatus } from './use-status.ts';

/** Shows the state of the gateway, its providers and its models; public. */
export function StatusPage() {
  const { status, isStale, nowMs } = useStatus();
  const answer = status.data;
  const error = useLastError(status);
  return (
    <>
      <PageHeader
        title="Status"
        description="The state of the gateway and its models, refreshed every 5 seconds."
      />
      <Stack gap="md">
        {error !== null && <ErrorNotice error={error} onRetry={() => void status.refetch()} />}
        {answer === undefined && error === null && <PageLoading label="Reading the status" />}
        {answer !== undefined && (
          <>
            {isStale && (
              <Alert
                color="yellow"
                icon={<IconClockExclamation aria-hidden />}
                title="This may be out of date"
                role="status"
              >
                The status service does not respond. This is the status of {formatDateTime(answer.readAtMs)},{' '}
                {formatRelative(answer.readAtMs, nowMs)}.
              </Alert>
            )}
            <Overall answer={answer.status} isStale={isStale} />
            <Panel title="Parts">
              <ul className={classes.components}>
                {answer.status.components.map(({ id, name, state, configuration, sentence }) => (
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
              <Models models={answer.models} />
            </Panel>
          </>
        )}
      </Stack>
    </>
  );
}

function Models({ models }: Pick<StatusResponse, 'models'>) {
  if (models === null || models.data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There are no models yet. They show here once the operator has applied a catalog.
      </Text>
    );
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

function Overall({ answer, isStale }: { answer: Summary; isStale: boolean }) {
  const { status } = answer;
  const isFine = status.indicator === 'none';
  // Without traffic, "no known problem" is not a reason to show green.
  const isKnown = !isFine || isKnownToWork(answer);
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
        <Text size="sm" c="dimmed">
          {isStale ? 'When it was last read' : 'Right now'}
        </Text>
      </div>
    </Paper>
  );
}

/** Returns true if a provider is known to work, or if there are no providers. */
function isKnownToWork({ components }: Summary): boolean {
  const providers = components.filter(({ id }) => id.startsWith('provider:'));
  return providers.length === 0 || providers.some(({ state }) => state === 'operational');
}
