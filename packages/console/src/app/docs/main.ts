import { addCredentials } from './credentials.ts';
import { addSearch } from './search.ts';
import { addTrying } from './trying.ts';

// The page is complete without this: it adds the search, and forms that send requests.
addSearch();
addTrying(addCredentials());
openTarget();
addEventListener('hashchange', openTarget);

/** An error code is explained in an entry that opens. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
