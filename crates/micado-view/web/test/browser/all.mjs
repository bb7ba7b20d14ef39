// What a person does, done by a program: `npm run test:browser -- PATH_TO_MICADO`. Waits on what the page
// exposes, never on time.
// One of them: `node --test-name-pattern="gizmo" test/browser/all.mjs PATH_TO_MICADO`.
import "./scenes.mjs";
import "./hands.mjs";
import "./tools.mjs";
import "./values.mjs";
import "./time.mjs";
import "./trouble.mjs";
import "./access.mjs";
