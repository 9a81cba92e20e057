import { useMediaQuery } from '@mantine/hooks';

const ON_A_LAPTOP = 25;
/** Each request is a card there, and the page would be very long. */
const ON_A_PHONE = 10;

/** How many recent requests a page shows. */
export function useRequestsPerPage(): number {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  return isPhone ? ON_A_PHONE : ON_A_LAPTOP;
}
