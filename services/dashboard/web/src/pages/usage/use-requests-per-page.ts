import { useMediaQuery } from '@mantine/hooks';

const ON_A_LAPTOP = 25;
/** Each is a card there, and the page would not end. */
const ON_A_PHONE = 10;

/** How many of the recent requests are shown at once. */
export function useRequestsPerPage(): number {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  return isPhone ? ON_A_PHONE : ON_A_LAPTOP;
}
