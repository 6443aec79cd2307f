import { linkTo } from '../../frame/router.ts';

/** The views of the screen of models. */
export function modelTabs(current: 'catalogue' | 'routing') {
  return [
    { title: 'Catalogue', href: linkTo(['models']), current: current === 'catalogue' },
    { title: 'Routing', href: linkTo(['models', 'routing']), current: current === 'routing' },
  ];
}
