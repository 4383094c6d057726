import { render } from "preact";

render(<main>troupe</main>, document.body);
