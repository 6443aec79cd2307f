import { areaASuite } from './area-a-suite.ts';

areaASuite();
