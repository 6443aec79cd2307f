import{t}from"./part-DZIUI5YC.js";function o({title:e,children:n}){return t("div",{class:"empty",children:[t("h2",{children:e}),n]})}export{o as a};
