import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { ResponseOf } from '../../../../wire/management.ts';
import { useManagement } from '../../api/use-management.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import classes from './overview.module.css';

type Attention = ResponseOf<'listAttention'>;
type Item = Attention['data'][number];

const REFRESH_MS = 5_000;
/** Counting stops there. */
const MAX_COUNTED = 1_000;
const SEVERITIES: Record<Item['severity'], { name: string; color: string }> = {
  critical: { name: 'Critical', color: 'red' },
  warning: { name: 'Warning', color: 'orange' },
  notice: { name: 'Notice', color: 'blue' },
};

/** Shows what needs attention now, the worst first, each with the next step. */
export function AttentionPanel() {
  const attention = useManagement('listAttention', {}, { refetchMs: REFRESH_MS });
  const body = attention.data?.body;
  return (
    <Panel title="Needs attention">
      <QueryState query={attention} loading="Looking for what needs attention" />
      {body?.data.length === 0 && (
        <Group gap="xs">
          <IconCircleCheck size={20} aria-hidden color="var(--mantine-color-green-6)" />
          <Text size="sm">Nothing needs your attention.</Text>
        </Group>
      )}
      {body !== undefined && body.data.length > 0 && (
        <ul aria-label="Needs attention" className={`plain-list ${classes.attention}`}>
          {body.data.map((item) => (
            <AttentionItem key={`${item.kind} ${item.object.id}`} item={item} />
          ))}
          {body.totals.flatMap(({ kind, total }) => {
            const more = total - body.data.filter((item) => item.kind === kind).length;
            return more <= 0
              ? []
              : [<More key={kind} kind={kind} more={more} isAtLeast={total >= MAX_COUNTED} />];
          })}
        </ul>
      )}
    </Panel>
  );
}

function AttentionItem({ item: { next, sentence, severity, since } }: { item: Item }) {
  const { color, name } = SEVERITIES[severity];
  return (
    <li className={classes.item}>
      <Badge variant="light" color={color} className={classes.severity}>
        {name}
      </Badge>
      <Stack gap={2} miw={0}>
        <Text size="sm" fw={500} className="break-anywhere">
          {sentence}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {next.page === null ? next.text : <TextLink to={next.page}>{next.text}</TextLink>}
          {since !== null && (
            <>
              {' '}
              Since <Moment ms={Date.parse(since)} />.
            </>
          )}
        </Text>
        {next.command !== null && (
          <Group gap={4} miw={0}>
            <Text span size="xs" ff="monospace" className="break-anywhere">
              {next.command}
            </Text>
            <CopyButton value={next.command} label="Copy command" variant="subtle" />
          </Group>
        )}
      </Stack>
    </li>
  );
}

const MORE: Partial<Record<Item['kind'], string>> = {
  pool_nearly_used: 'pools that are used to 80 % or more',
  budget_nearly_used: 'budgets that are used to 80 % or more',
  webhook_failing: 'failing webhooks',
};

function More({ isAtLeast, kind, more }: { isAtLeast: boolean; kind: Item['kind']; more: number }) {
  return (
    <li>
      <Text size="sm" c="dimmed">
        And {isAtLeast ? 'at least ' : ''}
        {formatCount(more)} more: {MORE[kind] ?? kind.replaceAll('_', ' ')}.
      </Text>
    </li>
  );
}
