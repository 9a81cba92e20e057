import { useMediaQuery } from '@mantine/hooks';

const ON_A_LAPTOP = 25;
/** Fewer, because each request is a card. */
const ON_A_PHONE = 10;

/** Returns how many requests to show per page. */
export function useRequestsPerPage(): number {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  return isPhone ? ON_A_PHONE : ON_A_LAPTOP;
}
