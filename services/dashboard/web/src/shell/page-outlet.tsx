import { Suspense, useEffect } from 'react';
import { Outlet, useLocation, useNavigationType } from 'react-router';
import { FaultBoundary } from '../components/fault-boundary.tsx';
import { PageLoading } from '../components/page-loading.tsx';

/** Shows the current page. If it fails, the frame around it stays. */
export function PageOutlet() {
  const { pathname } = useLocation();
  const isBack = useNavigationType() === 'POP';

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page starts at its top
  useEffect(() => {
    if (!isBack) {
      window.scrollTo(0, 0);
    }
  }, [pathname]);

  return (
    <FaultBoundary key={pathname}>
      <Suspense fallback={<PageLoading />}>
        <Outlet />
      </Suspense>
    </FaultBoundary>
  );
}
