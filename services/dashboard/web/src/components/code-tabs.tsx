import { Code, Group, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './code-tabs.module.css';
import { CopyButton } from './copy-button.tsx';

export interface CodeTab {
  id: string;
  label: string;
  code: string;
}

interface CodeTabsProps<Tab> {
  /** Names the tabs for screen readers. */
  label: string;
  tabs: readonly Tab[];
  above?: (tab: Tab) => ReactNode;
  /** At the left of the copy button. */
  note?: ReactNode;
  maxHeight?: number;
  onCopied?: () => void;
}

/** Shows code in tabs, each with a copy button. The first tab is `curl`. */
export function CodeTabs<Tab extends CodeTab>(props: CodeTabsProps<Tab>) {
  const { label: name, tabs, above, note, maxHeight, onCopied } = props;
  return (
    <Tabs defaultValue="curl">
      <Tabs.List aria-label={name}>
        {tabs.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.id} value={tab.id} pt="sm">
          {above?.(tab)}
          <Code block className={classes.code} mah={maxHeight} tabIndex={0}>
            {tab.code}
          </Code>
          <Group justify={note === undefined ? 'flex-end' : 'space-between'} mt="xs">
            {note}
            <CopyButton value={tab.code} label={`Copy ${tab.label}`} {...(onCopied && { onCopied })} />
          </Group>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
