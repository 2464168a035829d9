import { useRef } from "preact/hooks";
import { hashOf, type Listing, type Place } from "../address.ts";
import { everything } from "../filter.ts";
import { type Report, shortRpc, titleOf } from "../report.ts";
import { CasePage } from "./case-page.tsx";
import { CasesPage } from "./cases-page.tsx";
import { FailuresPage } from "./failures-page.tsx";
import { Help } from "./help.tsx";
import { MatrixPage } from "./matrix-page.tsx";
import { ObservationsPage } from "./observations-page.tsx";
import { ReaderProvider } from "./reader.ts";
import { RpcPage } from "./rpc-page.tsx";
import { RunPage } from "./run-page.tsx";
import { switchTheme } from "./theme.ts";
import { TopBar } from "./top-bar.tsx";
import { useAddress, usePlaceOnPage } from "./use-address.ts";
import { useKeys } from "./use-keys.ts";

/** The whole report: the bar on top, and the page that the address names. */
export function App({ report }: { readonly report: Report }) {
  const [address, narrow] = useAddress();
  const help = useRef<HTMLDialogElement>(null);
  const { place, filter } = address;
  const leadTo = (page: Listing) => () => {
    location.hash = hashOf({ place: { page }, filter });
  };
  usePlaceOnPage(hashOf({ place, filter: everything }), titleOf(report, nameOf(place)));
  useKeys({
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    "?": () => help.current?.showModal(),
    t: switchTheme,
    m: leadTo("matrix"),
    f: leadTo("failures"),
    c: leadTo("cases"),
    o: leadTo("observations"),
  });
  return (
    <ReaderProvider value={{ report, address, narrow }}>
      <TopBar showHelp={() => help.current?.showModal()} />
      <main>
        <Page place={place} />
      </main>
      <Help dialog={help} />
    </ReaderProvider>
  );
}

function Page({ place }: { readonly place: Place }) {
  switch (place.page) {
    case "matrix":
      return <MatrixPage />;
    case "failures":
      return <FailuresPage />;
    case "cases":
      return <CasesPage />;
    case "observations":
      return <ObservationsPage />;
    case "run":
      return <RunPage />;
    case "rpc":
      return <RpcPage key={place.rpc} rpc={place.rpc} area={place.area} />;
    case "case":
      return <CasePage key={`${place.rpc} ${place.id}`} rpc={place.rpc} id={place.id} />;
  }
}

/** What the title of the window begins with; the landing page is the report itself. */
function nameOf(place: Place): string | undefined {
  switch (place.page) {
    case "matrix":
      return undefined;
    case "rpc":
      return shortRpc(place.rpc);
    case "case":
      return `${place.id} · ${shortRpc(place.rpc)}`;
    default:
      return place.page.replace(/^./, (letter) => letter.toUpperCase());
  }
}
