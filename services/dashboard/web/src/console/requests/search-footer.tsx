import { Button, Stack } from '@mantine/core';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';

interface SearchFooterProps {
  list: {
    data: { pages: readonly { searched_back_to: string | null }[] } | undefined;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** Says how far back a list was searched, and searches on when the reader asks for it. */
export function SearchFooter({ list }: SearchFooterProps) {
  const searchedBackTo = list.data?.pages.at(-1)?.searched_back_to ?? null;
  if (searchedBackTo === null) return null;
  return (
    <Stack align="center" gap="xs" mt="md">
      <Hint role="status">
        Searched back to <Moment form="recent" ms={Date.parse(searchedBackTo)} />
      </Hint>
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Search further back
        </Button>
      )}
    </Stack>
  );
}
