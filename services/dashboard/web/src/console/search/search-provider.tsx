import { Button, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext } from 'react';
import type { NavigationSection } from '../../shell/navigation.tsx';
import { SearchDialog } from './search-dialog.tsx';

const OpenSearch = createContext<() => void>(() => undefined);
const IS_MAC = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);

interface SearchProviderProps {
  pages: readonly NavigationSection[];
  children: ReactNode;
}

/** Opens the search by Ctrl-K or ⌘K on every page within it. */
export function SearchProvider({ pages, children }: SearchProviderProps) {
  const [opened, dialog] = useDisclosure(false);
  useHotkeys([['mod+K', dialog.open]], []);
  return (
    <OpenSearch value={dialog.open}>
      {children}
      <SearchDialog opened={opened} pages={pages} onClose={dialog.close} />
    </OpenSearch>
  );
}

/** Opens the search. @param onOpen closes the drawer around it */
export function SearchButton({ onOpen }: { onOpen: (() => void) | undefined }) {
  const openSearch = useContext(OpenSearch);
  const open = () => {
    onOpen?.();
    openSearch();
  };
  return (
    <Button
      variant="default"
      fullWidth
      mb="sm"
      justify="space-between"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        <Text span size="xs" c="dimmed">
          {IS_MAC ? '⌘K' : 'Ctrl K'}
        </Text>
      }
      aria-keyshortcuts={IS_MAC ? 'Meta+K' : 'Control+K'}
      onClick={open}
    >
      Search
    </Button>
  );
}
