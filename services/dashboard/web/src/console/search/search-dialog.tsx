import { Badge, Group, Loader, Modal, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { useManagement } from '../../api/use-management.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { countOf } from '../../format/format-count.ts';
import type { NavigationSection } from '../../shell/navigation.tsx';
import { foundPath, KIND_NAMES } from './found-path.ts';
import classes from './search.module.css';
import { searchText } from './search-text.ts';

interface SearchDialogProps {
  opened: boolean;
  pages: readonly NavigationSection[];
  onClose: () => void;
}

/** Typing goes into the field from the first key on. */
const AT_ONCE = { transitionProps: { duration: 0 } };

/** Finds pages of the console, and objects of all accounts. */
export function SearchDialog({ opened, ...props }: SearchDialogProps) {
  return (
    <Modal opened={opened} onClose={props.onClose} title="Search" size="lg" yOffset="8vh" {...AT_ONCE}>
      <SearchForm {...props} />
    </Modal>
  );
}

interface Choice {
  path: string;
  label: string;
  kind: string;
  detail: string;
}

function SearchForm({ pages, onClose }: Omit<SearchDialogProps, 'opened'>) {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const wanted = searchText(typed);
  const [q] = useDebouncedValue(wanted, 150);
  const listId = useId();
  const navigate = useNavigate();
  const found = useManagement('search', { query: { q } }, { enabled: q !== '' });
  const isSearching = wanted !== '' && (wanted !== q || found.isPending);
  const choices = [...pagesFor(typed, pages), ...(q === '' ? [] : objectsOf(found.data?.body.data ?? []))];
  const chosen = Math.min(active, choices.length - 1);
  const optionId = (index: number) => `${listId}-${index}`;
  const open = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    void navigate(choice.path);
  };
  const move = (event: KeyboardEvent, to: number) => {
    event.preventDefault();
    const next = (to + choices.length) % Math.max(1, choices.length);
    setActive(next);
    document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(event, chosen + 1);
    if (event.key === 'ArrowUp') move(event, chosen - 1);
    if (event.key === 'Enter') setEntered(true);
  };
  // Enter may be faster than the results.
  useEffect(() => {
    if (!isEntered || isSearching) return;
    setEntered(false);
    open(choices[chosen]);
  });
  return (
    <Stack gap="sm">
      <TextInput
        label="Search the gateway"
        description="A name, e-mail address, id, external id, key or request id."
        autoFocus
        data-autofocus
        autoComplete="off"
        maxLength={200}
        leftSection={isSearching ? <Loader size={16} /> : <IconSearch size={16} aria-hidden />}
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={listId}
        {...(choices.length > 0 && { 'aria-activedescendant': optionId(chosen) })}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActive(0);
          setEntered(false);
        }}
        onKeyDown={press}
      />
      <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />
      <div id={listId} role="listbox" aria-label="Results" className={classes.results}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys of the list
          <div
            key={choice.path + choice.kind}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classes.result}
            onClick={() => open(choice)}
          >
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <div className={classes.texts}>
                <Text size="sm" truncate>
                  {choice.label}
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  {choice.detail}
                </Text>
              </div>
              <Badge color="gray">{choice.kind}</Badge>
            </Group>
          </div>
        ))}
      </div>
      {choices.length === 0 && q !== '' && !isSearching && found.error === null && (
        <Hint>Nothing found. Enter the beginning of a name, e-mail address or key, or a whole id.</Hint>
      )}
      <VisuallyHidden role="status">{countOf(choices.length, 'result')}</VisuallyHidden>
    </Stack>
  );
}

function pagesFor(typed: string, pages: readonly NavigationSection[]): Choice[] {
  const wanted = typed.trim().toLowerCase();
  return pages
    .filter(({ label }) => label.toLowerCase().includes(wanted))
    .map(({ label, to }) => ({ path: to, label, kind: 'Page', detail: 'Console' }));
}

type Found = Parameters<typeof foundPath>[0];

function objectsOf(found: readonly Found[]): Choice[] {
  return found.map((each) => ({
    path: foundPath(each),
    label: each.kind === 'request' ? `${each.id} (${each.label})` : each.label,
    kind: KIND_NAMES[each.kind],
    detail: each.kind === 'account' ? each.account.email : `${each.account.name}, ${each.account.email}`,
  }));
}
