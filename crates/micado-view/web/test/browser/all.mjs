// User actions in a browser: `npm run test:browser -- PATH_TO_MICADO`. Waits for state that the page exposes,
// never for a time.
// A single test: `node --test-name-pattern="gizmo" test/browser/all.mjs PATH_TO_MICADO`.
import "./scenes.mjs";
import "./hands.mjs";
import "./solids.mjs";
import "./contact.mjs";
import "./tools.mjs";
import "./values.mjs";
import "./time.mjs";
import "./trouble.mjs";
import "./access.mjs";
