import { Alert, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useState } from 'react';
import type { UsageResponse } from '../../../../wire/usage.ts';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { Hint } from '../../components/hint.tsx';
import { ShareTable } from './share-table.tsx';
import type { UsageScope } from './use-usage-scope.ts';

const TAG = 'tag:';
const CHOICES = [
  { value: '', label: 'Nothing' },
  { value: 'tag', label: 'A tag' },
  { value: 'end_user', label: 'End user' },
  { value: 'session', label: 'Session' },
];
/** Stands for requests without the label; no value is empty. */
const WITHOUT = '';
/** Stands for all values but the first thousand of a day (`OTHER_VALUES` of packages/shared). */
const OTHERS = '(other)';

interface LabelPanelProps {
  scope: UsageScope;
  byLabel: UsageResponse['byLabel'];
  totals: UsageResponse['totals'];
}

/** Splits the usage by a tag, the end user or the session, and filters the page by one of its values. */
export function LabelPanel({ scope, byLabel, totals }: LabelPanelProps) {
  const { group, label, value, change } = scope;
  const [isTag, setTag] = useState(group?.startsWith(TAG) === true);
  const [tag, setTagName] = useState(group?.startsWith(TAG) === true ? group.slice(TAG.length) : '');
  const values = byLabel.flatMap((row) => row.value ?? []).filter((each) => each !== OTHERS);
  function choose(kind: string): void {
    setTag(kind === 'tag');
    change({ group: kind === 'tag' ? tagGroup(tag) : kind || undefined });
  }
  return (
    <FoldingPanel
      name="by-label"
      isFoldedOnPhone
      title="By tag, end user or session"
      description="Requests carry tags in the header x-gateway-tags."
    >
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Group by"
          data={CHOICES}
          value={isTag ? 'tag' : (group ?? '')}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        {isTag && (
          <TextInput
            label="Name of the tag"
            placeholder="project"
            autoComplete="off"
            spellCheck={false}
            value={tag}
            onChange={({ currentTarget: { value: name } }) => {
              setTagName(name);
              change({ group: tagGroup(name) }, { isTyping: true });
            }}
          />
        )}
        {values.length > 0 && (
          <NativeSelect
            label="Show only"
            data={[{ value: '', label: 'All' }, ...values]}
            value={label === group ? (value ?? '') : ''}
            onChange={({ currentTarget: { value: only } }) =>
              change(only === '' ? { label: undefined, value: undefined } : { label: group, value: only })
            }
          />
        )}
      </Group>
      {group !== undefined && byLabel.length === 0 && <Hint>No request in this period.</Hint>}
      {byLabel.length > 0 && (
        <ShareTable
          caption={`Usage by ${nameOf(group)}`}
          header={capitalized(nameOf(group))}
          totals={totals}
          rows={byLabel.map((sums) => ({
            id: sums.value ?? WITHOUT,
            name: sums.value ?? `Without ${nameOf(group)}`,
            sums,
          }))}
        />
      )}
    </FoldingPanel>
  );
}

/** Says that the page shows only a part of the requests. */
export function LabelFilterNotice({ scope: { label, value, change } }: { scope: UsageScope }) {
  if (label === undefined || value === undefined) return null;
  return (
    <Alert icon={<IconFilter aria-hidden />} radius="md" py="xs" role="note">
      <Group gap="sm">
        <span className="break-anywhere">
          Only requests with {nameOf(label)} {value}.
        </span>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => change({ label: undefined, value: undefined })}
        >
          Show all requests
        </Button>
      </Group>
    </Alert>
  );
}

function tagGroup(name: string): string | undefined {
  return name.trim() === '' ? undefined : `${TAG}${name.trim()}`;
}

/** Names a label in a sentence: `project`, `end user`, `session`. */
function nameOf(label: string | undefined): string {
  if (label === undefined) return '';
  return label.startsWith(TAG) ? label.slice(TAG.length) : label.replace('_', ' ');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
